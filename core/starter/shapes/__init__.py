"""The shapes by topic. A shape draws numbers, people and things and yields one text per telling (`problem.parse`)."""
