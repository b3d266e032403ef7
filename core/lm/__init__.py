"""Language models behind one protocol (`base`): `local`, `openai`, `replay`, each wrapped by the `cache`."""
