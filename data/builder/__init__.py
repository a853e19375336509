"""The data-set builder: clips to shards of motion grids, with a manifest, a card and a report."""
