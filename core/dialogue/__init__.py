"""Dialogue state tracking as in-context learning (King and Flanigan 2023, RefPyDST).

`state` (slots, values, changes) ─► `update` (a change as function calls, and back) ─► `turn` (a turn as an exemplar)
`ontology`, `values` (when two values are the same) ─► `metrics` ─► `core.evaluate.dialogues` (turns in sequence)
`similarity` (sim_F1 of two changes) trains the retriever and measures what it finds
"""
