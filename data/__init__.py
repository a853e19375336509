"""Video in, motion grids out: decoding, sign segments, grids, clip records, splits, the synthetic signer."""
