"""Imports that fail: a package that the grading machine lacks, or a file that was not handed in.

Pure data and functions, in the judge. Which of the two it is, is told by the name: the packages below are those that
homework of this kind asks for.
"""

from __future__ import annotations

import re

from grader.wire.calls import ErrorReport

_MISSING = re.compile(r"No module named '([\w.]{1,200})'")
_NOT_IN_PACKAGE = re.compile(r"cannot import name '(\w{1,100})' from 'submission'")
_OWN = "submission."
_PACKAGES = (
    "PIL accelerate av bitsandbytes bs4 cv2 d2l datasets deepspeed diffusers dotenv einops evaluate "
    "fairseq fastai fasttext flax ftfy gensim gradio graphviz h5py huggingface_hub imageio jax joblib "
    "keras librosa lightgbm lightning lxml matplotlib mlflow mpl_toolkits mxnet networkx nltk numba onnx "
    "openai opt_einsum optuna pandas peft plotly polars portalocker psutil pyarrow pycocotools pydantic "
    "pygments pylab pytorch_lightning ray regex requests rouge_score sacrebleu safetensors scipy seaborn "
    "sentence_transformers sentencepiece skimage sklearn skorch spacy statsmodels streamlit sympy "
    "tabulate tensorboard tensorboardX tensorflow tiktoken timm tokenizers torch_geometric torchaudio "
    "torchdata torchinfo torchmetrics torchsummary torchtext torchvision torchviz tqdm transformers trl "
    "triton wandb wordcloud xgboost yaml"
)


def missing_module(report: ErrorReport) -> str:
    """What an import that found nothing was looking for, as a sentence; empty for any other error."""
    if "ImportError" not in report.kinds:
        return ""
    if inside := _NOT_IN_PACKAGE.search(report.text):
        return f"{inside[1]}.py was not in your upload."
    found = _MISSING.search(report.text)
    if found is None:
        return ""
    if found[1].startswith(_OWN):
        return f"{found[1].removeprefix(_OWN).replace('.', '/')}.py was not in your upload."
    top = found[1].partition(".")[0]
    if top in _PACKAGES.split():
        return f"The grading machine does not have `{top}`; Python's own library, numpy and torch are there."
    return f"{top}.py was not in your upload, and the grading machine has no package `{top}`."


def missing_package(report: ErrorReport) -> str:
    """The package that an import asked for in vain, empty if it was none that is known."""
    found = _MISSING.search(report.text) if "ImportError" in report.kinds else None
    top = found[1].partition(".")[0] if found else ""
    return top if top in _PACKAGES.split() else ""
