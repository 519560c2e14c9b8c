"""The tabs of Learned: insights, episodes, how-tos, lessons. Each is a pane of its own;
`screens.learned` lists them.
"""
