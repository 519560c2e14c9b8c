"""The tabs of Learned: insights, episodes, how-tos, lessons; listed in `screens.learned`."""
