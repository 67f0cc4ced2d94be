from __future__ import annotations


def validate(model):
    for part in (model._learner.encoder, model._learner):
        part.__setstate__(dict(vars(part)))
    return model
