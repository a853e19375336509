#!/usr/bin/env bash
# Makes the shipped bundle and every figure that goes with it, from the clips alone. About 40 minutes on two cores;
# a run that was stopped goes on where it was.
#
#     tests/benchmarks/ship_nano.sh [CLIPS.csv [OTHER_LANGUAGES.csv]]
set -euo pipefail
cd "$(dirname "$0")/../.."
clips=${1:-../shared/data/bisindo-clips/clips.csv}
others=${2:-../shared/data/other-languages/clips.csv}

# The weights that ship (all clips of role words), and before them a model that a quarter of the clips was kept from.
isyarat train nano --clips "$clips" --also "$others"
# That second model is the one to be judged on held-out clips …
isyarat export litert runs/nano/split -o runs/nano/split/bundle
isyarat evaluate runs/nano/split.csv --where part=test,other --bundle runs/nano/split/bundle --json runs/nano/sister.json
# … and the shipped one on what it never saw either: unseen signers, words it does not know, no signing.
isyarat export litert runs/nano -o runs/nano/bundle --precision int8
isyarat evaluate runs/nano/split.csv --where part=other --bundle runs/nano/bundle --json runs/nano/shipped.json
# Another background than in training.
for way in "green beige" "beige green"; do
  read -r seen unseen <<< "$way"
  isyarat train nano --clips "$clips" --also "$others" --train-where "background=$seen" \
    --test-where "background=$unseen" -o "runs/$seen-$unseen"
done
# int8 alone ships (the f32 file is three times its size and answers the same); both are judged.
isyarat export litert runs/nano -o export/bundles/nano --precision int8 \
  --figures runs/nano/sister.json --figures runs/nano/shipped.json --figures runs/green-beige/report.json --figures runs/beige-green/report.json
isyarat verify
isyarat demo -o runs/demo && cp runs/demo/grids.png docs/grids.png
python tests/benchmarks/translate_clip.py
python tests/benchmarks/write_readme.py
