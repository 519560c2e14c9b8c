"""Small widgets. They show data and announce actions; they fetch and store nothing."""
