"""Ways to choose an answer among a model's replies."""
