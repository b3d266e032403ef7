"""Evaluation: many questions through one method, and what the results say.

`questions` (what is asked, and from which pool) ─► `run` (bounded concurrency, one record a question) ─► `folder`
(a run on disk, which an interrupted evaluation goes on from) ─► `summary` and `stats` ─► `compare`, `plots`, `report`
"""
