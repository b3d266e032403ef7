"""The help text."""

HELP = """\
Ask
  Enter            ask the question; Ctrl+J starts a new line; a paste never asks
  Up / Down        earlier and later questions, at the first and last line of the box
  Esc              cancel what runs (the request too); what has arrived is kept
  Ctrl+C           stop what runs; otherwise copy what is selected; it never quits
  Ctrl+R           answer again with the exemplars as they stand: the final query only
  Ctrl+T           choose the method for the next question
  Ctrl+O           export the query as JSON (Markdown: command palette)
  Ctrl+P           command palette
  Ctrl+Q           quit

Controls (Tab moves to them)
  Right, +, wheel  more            Left, -, wheel  less
  Re-ranker, M, n, dim, sigma, alpha and lambda re-rank at once, without any model.

Tables and panes
  Up / Down, j / k move; the same exemplar is highlighted in the other table
  Enter            the exemplar in full: question, rationale, answer, both scores
  y                copy the exemplar's id, or the text of the pane
  End              follow the text that streams; scrolling back stops following

What "moved" says
  \u25b43 three places up from the retriever's ranking, \u25be2 two down, = the same place,
  new: retrieval's own top n did not have it. "was" is its place among the candidates.
"""
