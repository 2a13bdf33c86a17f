"""Maximum margin clustering with hinge losses: cutting planes, alternation, bounds."""
