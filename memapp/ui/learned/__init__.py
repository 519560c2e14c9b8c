"""The tabs of Learned: insights, episodes, how-tos. Each is a pane of its own; `screens.learned` lists them."""
