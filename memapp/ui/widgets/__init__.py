"""Small pieces of a screen. They show data and announce what the person did; they fetch and store
nothing.
"""
