"""Where the signer's body and hands are in a picture, by the models of MediaPipe on LiteRT.

>>> tracker = PoseTracker()
>>> pose = tracker.estimate(image_HxWx3)
>>> pose.body_33x4[BodyPoint.LEFT_WRIST, :2]
"""

from .pose import LEFT, RIGHT, BodyPoint, HandPoint, Pose
from .tracker import PoseTracker

__all__ = ["LEFT", "RIGHT", "BodyPoint", "HandPoint", "Pose", "PoseTracker"]
