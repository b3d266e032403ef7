"""Training the retriever (DQ-LoRe, section 3.2): mine candidates, score them by a language model, fit the encoder."""
