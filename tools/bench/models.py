"""Models with random weights, built from their configuration alone: nothing is downloaded.

Each comes in two sizes: `full`, as published (demo and benchmarks), and `small`, the same layers but few and narrow
(tests). The same name, size and seed give the same weights and inputs.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

Size = Literal["full", "small"]
Inputs = tuple[Tensor, ...]
Built = tuple[nn.Module, Inputs]

CLASSES = 10
SMALL_VOCABULARY = 96
SMALL_TOKENS = 16
FULL_TOKENS = 128


@dataclass(frozen=True)
class Row:
    """One model of the table."""

    title: str
    build: Callable[[Size], Built]


def build(name: str, size: Size, seed: int = 0) -> Built:
    """The model in evaluation mode, and its inputs."""
    logging.getLogger("transformers").setLevel(logging.ERROR)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model, inputs = MODELS[name].build(size)
        calibrate_batch_norm(model, inputs)
    return model.eval(), inputs


def calibrate_batch_norm(model: nn.Module, inputs: Inputs) -> None:
    """Gives BatchNorm what it has in a trained model: weights, biases, and running statistics that fit the data.

    As initialised, activations explode in evaluation; in training, means that are zero but for rounding follow each
    other, and of those no two programs agree.
    """
    layers = [module for module in model.modules() if isinstance(module, nn.modules.batchnorm._BatchNorm)]
    if not layers:
        return
    momenta = [layer.momentum for layer in layers]
    for layer in layers:
        layer.momentum = 1.0
        nn.init.uniform_(layer.weight, 0.5, 1.5)
        nn.init.normal_(layer.bias, std=0.2)
    with torch.no_grad():
        model.train()(*inputs)
    for layer, momentum in zip(layers, momenta):
        layer.momentum = momentum


def image(batch: int, pixels: int) -> Inputs:
    """Random pixels."""
    return (torch.randn(batch, 3, pixels, pixels),)


def tokens(batch: int, length: int, vocabulary: int) -> Tensor:
    """Random token numbers."""
    return torch.randint(0, vocabulary, (batch, length))


def resnet50(size: Size) -> Built:
    """Torchvision's ResNet-50; small: one bottleneck block in each of its four stages, a quarter as wide."""
    from torchvision.models import resnet

    if size == "full":
        return resnet.resnet50(), image(1, 224)
    model = resnet.ResNet(resnet.Bottleneck, [1, 1, 1, 1], num_classes=CLASSES, width_per_group=16)
    return model, image(4, 64)


def resnet18(size: Size) -> Built:
    """Torchvision's ResNet-18; small: half its blocks."""
    from torchvision.models import resnet

    if size == "full":
        return resnet.resnet18(), image(1, 224)
    return resnet.ResNet(resnet.BasicBlock, [1, 1, 1, 1], num_classes=CLASSES), image(4, 64)


def mobilenet_v3(size: Size) -> Built:
    """Torchvision's MobileNetV3: large, or the small one with narrow layers (its dropout stays)."""
    from torchvision.models import mobilenet_v3_large, mobilenet_v3_small

    if size == "full":
        return mobilenet_v3_large(), image(1, 224)
    return mobilenet_v3_small(num_classes=CLASSES, width_mult=0.25), image(4, 64)


def efficientnet(size: Size) -> Built:
    """Torchvision's EfficientNet-B0; small: its layers a quarter as wide."""
    from torchvision.models import efficientnet as library

    if size == "full":
        return library.efficientnet_b0(), image(1, 224)
    settings = [library.MBConvConfig(1, 3, 1, 8, 16, 1), library.MBConvConfig(4, 5, 2, 16, 24, 1)]
    return library.EfficientNet(settings, dropout=0.2, num_classes=CLASSES), image(4, 64)


def convnext(size: Size) -> Built:
    """Torchvision's ConvNeXt-tiny; small: one narrow block in each of two stages."""
    from torchvision.models import convnext as library

    if size == "full":
        return library.convnext_tiny(), image(1, 224)
    blocks = [library.CNBlockConfig(16, 32, 1), library.CNBlockConfig(32, None, 1)]
    return library.ConvNeXt(blocks, num_classes=CLASSES, layer_scale=0.5), image(4, 64)


def vit(size: Size) -> Built:
    """Torchvision's vision transformer, ViT-B/16."""
    from torchvision.models.vision_transformer import VisionTransformer, vit_b_16

    shape = {"image_size": 32, "patch_size": 8, "num_layers": 2, "num_heads": 2, "hidden_dim": 32, "mlp_dim": 64}
    model = vit_b_16() if size == "full" else VisionTransformer(**shape, num_classes=CLASSES)
    nn.init.normal_(model.heads[0].weight, std=0.1)  # it starts at zero, and would hide everything before it
    return model, image(1, 224) if size == "full" else image(2, 32)


def bert(size: Size) -> Built:
    """BERT-base without a head."""
    from transformers import BertConfig, BertModel

    small = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    return transformer(BertModel, BertConfig, size, full={}, small=small)


def bert_small(size: Size) -> Built:
    """BERT-small without a head."""
    from transformers import BertConfig, BertModel

    full = {"hidden_size": 512, "num_hidden_layers": 4, "num_attention_heads": 8, "intermediate_size": 2048}
    small = {"hidden_size": 48, "num_hidden_layers": 1, "num_attention_heads": 3, "intermediate_size": 96}
    return transformer(BertModel, BertConfig, size, full=full, small=small)


def gpt2(size: Size) -> Built:
    """GPT-2 with its language-model head."""
    from transformers import GPT2Config, GPT2LMHeadModel

    return transformer(GPT2LMHeadModel, GPT2Config, size, full={}, small={"n_embd": 32, "n_layer": 2, "n_head": 2})


def llama(size: Size) -> Built:
    """A Llama with grouped-query attention; full: some 150 million parameters."""
    from transformers import LlamaConfig, LlamaForCausalLM

    full = {"hidden_size": 768, "num_hidden_layers": 12, "intermediate_size": 2048}
    full |= {"num_attention_heads": 12, "num_key_value_heads": 4}
    small = {"hidden_size": 32, "num_hidden_layers": 2, "intermediate_size": 64}
    small |= {"num_attention_heads": 4, "num_key_value_heads": 2}
    return transformer(LlamaForCausalLM, LlamaConfig, size, full=full, small=small)


def t5(size: Size) -> Built:
    """T5-small: an encoder, and a decoder that attends to it."""
    from transformers import T5Config, T5ForConditionalGeneration

    model, (source,) = transformer(T5ForConditionalGeneration, T5Config, size, full=T5_FULL, small=T5_SMALL)
    return EncoderDecoder(model), (source, source.flip(1))


def t5_encoder(size: Size) -> Built:
    """The encoder of T5-small."""
    from transformers import T5Config, T5EncoderModel

    return transformer(T5EncoderModel, T5Config, size, full=T5_FULL, small=T5_SMALL)


T5_FULL = {"d_model": 512, "d_kv": 64, "d_ff": 2048, "num_layers": 6, "num_heads": 8}
T5_SMALL = {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 2, "num_heads": 2}


class EncoderDecoder(nn.Module):
    """Calls a model with its decoder's input as the second argument."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, source: Tensor, target: Tensor) -> Any:
        """The output of the model."""
        return self.model(input_ids=source, decoder_input_ids=target)


def transformer(model: Any, config: Any, size: Size, *, full: dict[str, int], small: dict[str, int]) -> Built:
    """A model of the transformers library with these settings (its own defaults for the rest), and tokens for it."""
    settings = full if size == "full" else {**small, "vocab_size": SMALL_VOCABULARY}
    configuration = config(**settings, attn_implementation="sdpa")
    configuration.use_cache = False
    batch, length = (1, FULL_TOKENS) if size == "full" else (2, SMALL_TOKENS)
    return model(configuration), (tokens(batch, length, configuration.vocab_size),)


def mlp(size: Size) -> Built:
    """Linear layers with BatchNorm, ReLU and Dropout between them."""
    width, batch = (1024, 64) if size == "full" else (24, 8)
    layers: list[nn.Module] = []
    for _ in range(2):
        layers += [nn.Linear(width, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.25)]
    return nn.Sequential(*layers, nn.Linear(width, CLASSES)), (torch.randn(batch, width),)


def timm_model(name: str, size: Size) -> Built:
    """A model by its name in timm; small: its smallest residual network."""
    import timm

    if size == "full":
        return timm.create_model(name, pretrained=False), image(1, 224)
    return timm.create_model("resnet10t", pretrained=False, num_classes=CLASSES), image(1, 64)


MODELS = {
    "resnet50": Row("ResNet-50", resnet50),
    "bert": Row("BERT-base", bert),
    "gpt2": Row("GPT-2", gpt2),
    "resnet18": Row("ResNet-18", resnet18),
    "mobilenet_v3": Row("MobileNetV3", mobilenet_v3),
    "efficientnet": Row("EfficientNet-B0", efficientnet),
    "convnext": Row("ConvNeXt-tiny", convnext),
    "vit": Row("ViT-B/16", vit),
    "bert_small": Row("BERT-small", bert_small),
    "llama": Row("Llama", llama),
    "t5": Row("T5-small", t5),
    "t5_encoder": Row("T5-small, encoder", t5_encoder),
    "mlp": Row("MLP", mlp),
}
