"""The models of `./x zoo`: one row each, built from configuration with random weights; nothing is downloaded.

The code of a model is its library's, unmodified; widths, depths and images are small, so that a row takes seconds. The
same seed gives the same weights and inputs.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

VOCABULARY = 96
TOKENS = 12
CLASSES = 10
PIXELS = 64


@dataclass
class Subject:
    """A model and what it is called with. For training it gives a loss as any float outputs do: by their sum."""

    model: nn.Module
    arguments: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)
    #: The method that is called. What is compiled is the model; for `generate`, its `forward`, as users do it.
    method: str = "forward"
    #: In training mode these are passed besides, such as labels or targets.
    training: dict[str, Any] = field(default_factory=dict)
    #: Whether there is a training step.
    trains: bool = True


@dataclass(frozen=True)
class Row:
    """One model of the table."""

    library: str
    build: Callable[[], Subject]


def build(name: str, seed: int = 0) -> Subject:
    """The model and its inputs."""
    logging.getLogger("transformers").setLevel(logging.ERROR)
    torch.manual_seed(seed)
    return MODELS[name].build()


def image(batch: int = 2, pixels: int = PIXELS) -> torch.Tensor:
    """Random pixels."""
    return torch.randn(batch, 3, pixels, pixels)


def tokens(batch: int = 2, length: int = TOKENS) -> torch.Tensor:
    """Random token numbers; the first few are left out, for libraries give them meanings."""
    return torch.randint(5, VOCABULARY, (batch, length))


# torchvision


def vision(name: str, **settings: Any) -> Subject:
    """A model by its function, with the settings that make it small, if it has any."""
    from torchvision import models

    return Subject(getattr(models, name)(weights=None, num_classes=CLASSES, **settings), (image(),))


def vision_with_head(name: str, features: int) -> Subject:
    """A model whose head has by far the most weights, with a narrow head."""
    subject = vision(name)
    layers = [nn.Dropout(), nn.Linear(features, 32), nn.ReLU(inplace=True), nn.Linear(32, CLASSES)]
    subject.model.classifier = nn.Sequential(*layers)
    return subject


def densenet() -> Subject:
    """DenseNet with two blocks."""
    from torchvision.models import DenseNet

    return Subject(DenseNet(8, (2, 3), 16, num_classes=CLASSES), (image(),))


def efficientnet() -> Subject:
    """EfficientNet with three stages."""
    from torchvision.models import efficientnet as library

    stages = [(1, 3, 1, 8, 16, 1), (4, 3, 2, 16, 24, 2), (4, 5, 2, 24, 32, 1)]
    settings = [library.MBConvConfig(*stage) for stage in stages]
    return Subject(library.EfficientNet(settings, dropout=0.2, num_classes=CLASSES), (image(),))


def convnext() -> Subject:
    """ConvNeXt with two narrow stages."""
    from torchvision.models import convnext as library

    blocks = [library.CNBlockConfig(16, 32, 1), library.CNBlockConfig(32, None, 2)]
    model = library.ConvNeXt(blocks, stochastic_depth_prob=0.1, num_classes=CLASSES, layer_scale=0.5)
    return Subject(model, (image(),))


def swin() -> Subject:
    """Swin transformer with two stages and windows of four; sizes that its windows divide."""
    from torchvision.models import SwinTransformer

    sizes = {"patch_size": [4, 4], "embed_dim": 24, "depths": [2, 2], "num_heads": [2, 4], "window_size": [4, 4]}
    return Subject(SwinTransformer(**sizes, num_classes=CLASSES), (image(),))


def vision_transformer() -> Subject:
    """ViT with two layers, on images of four by four patches."""
    from torchvision.models import VisionTransformer

    shape = {"image_size": 32, "patch_size": 8, "num_layers": 2, "num_heads": 2, "hidden_dim": 32, "mlp_dim": 64}
    model = VisionTransformer(**shape, num_classes=CLASSES)
    nn.init.normal_(model.heads[0].weight, std=0.1)  # it starts at zero, which would hide everything before it
    return Subject(model, (image(pixels=32),))


def maxvit() -> Subject:
    """MaxViT with two stages of one layer."""
    from torchvision.models import MaxVit

    model = MaxVit(
        input_size=(PIXELS, PIXELS),
        stem_channels=8,
        partition_size=4,
        block_channels=[16, 32],
        block_layers=[1, 1],
        head_dim=8,
        stochastic_depth_prob=0.1,
        num_classes=CLASSES,
    )
    return Subject(model, (image(),))


def segmentation() -> Subject:
    """LR-ASPP over MobileNetV3: a dict of outputs."""
    from torchvision.models import segmentation as library

    model = library.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=CLASSES)
    return Subject(model, (image(),))


def detection() -> Subject:
    """Faster R-CNN over MobileNetV3: lists of images, dicts of boxes, and sizes that depend on data."""
    from torchvision.models import detection as library

    model = library.fasterrcnn_mobilenet_v3_large_320_fpn(
        weights=None, weights_backbone=None, num_classes=CLASSES, min_size=PIXELS, max_size=PIXELS
    )
    boxes = torch.tensor([[4.0, 6.0, 30.0, 40.0], [10.0, 10.0, 50.0, 60.0]])
    targets = [{"boxes": boxes.clone(), "labels": torch.tensor([1, 2])} for _ in range(2)]
    return Subject(model, (list(image()),), training={"targets": targets})


# timm


def timm_model(name: str, pixels: int = PIXELS, **settings: Any) -> Subject:
    """A model by its name in timm."""
    import timm

    return Subject(timm.create_model(name, pretrained=False, num_classes=CLASSES, **settings), (image(pixels=pixels),))


# transformers

#: The settings of most configurations.
NARROW: dict[str, Any] = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96}
GROUPED = {**NARROW, "num_key_value_heads": 2}
ENCODER_DECODER: dict[str, Any] = {
    "d_model": 64,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 96,
    "decoder_ffn_dim": 96,
}


def hugging(model: str, config: str, *, vocabulary: bool = True, **settings: Any) -> Any:
    """A model of transformers by the names of its class and of its configuration's."""
    import transformers

    words = {"vocab_size": VOCABULARY, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2} if vocabulary else {}
    configuration = getattr(transformers, config)(**words, **settings)
    return getattr(transformers, model)(configuration)


def encoder(model: str, config: str, **settings: Any) -> Subject:
    """A model that reads tokens, one sentence of two padded."""
    mask = torch.ones(2, TOKENS, dtype=torch.long)
    mask[1, -3:] = 0
    return Subject(hugging(model, config, **settings), keywords={"input_ids": tokens(), "attention_mask": mask})


def language(model: str, config: str, **settings: Any) -> Subject:
    """A language model; labels are given in training."""
    words = tokens()
    keywords = {"input_ids": words, "attention_mask": torch.ones_like(words)}
    return Subject(hugging(model, config, **settings), keywords=keywords, training={"labels": words.clone()})


def text_to_text(model: str, config: str, **settings: Any) -> Subject:
    """An encoder, and a decoder that attends to it."""
    made = hugging(model, config, decoder_start_token_id=0, **settings)
    return Subject(made, keywords={"input_ids": tokens(), "decoder_input_ids": tokens(length=8)})


def whisper() -> Subject:
    """Speech to text: spectrograms, and the tokens so far."""
    settings: dict[str, Any] = {"num_mel_bins": 16, "max_source_positions": 32, "max_target_positions": 32}
    made = hugging(
        "WhisperForConditionalGeneration",
        "WhisperConfig",
        decoder_start_token_id=1,
        suppress_tokens=None,
        begin_suppress_tokens=None,
        **settings,
        **ENCODER_DECODER,
    )
    return Subject(made, keywords={"input_features": torch.randn(2, 16, 64), "decoder_input_ids": tokens(length=8)})


def clip() -> Subject:
    """Text and images side by side."""
    text = {**NARROW, "vocab_size": VOCABULARY, "max_position_embeddings": 32, "eos_token_id": 2}
    seen = {**NARROW, "image_size": 32, "patch_size": 8}
    made = hugging("CLIPModel", "CLIPConfig", vocabulary=False, text_config=text, vision_config=seen, projection_dim=32)
    keywords = {"input_ids": tokens(), "attention_mask": torch.ones(2, TOKENS, dtype=torch.long)}
    return Subject(made, keywords={**keywords, "pixel_values": image(pixels=32)})


def vit() -> Subject:
    """The ViT of transformers."""
    made = hugging("ViTModel", "ViTConfig", vocabulary=False, image_size=32, patch_size=8, **NARROW)
    return Subject(made, keywords={"pixel_values": image(pixels=32)})


def wav2vec2() -> Subject:
    """Convolutions over sound, then a transformer."""
    settings: dict[str, Any] = {"conv_dim": (32, 32, 32), "conv_kernel": (10, 3, 3), "conv_stride": (5, 2, 2)}
    positions: dict[str, Any] = {
        "num_conv_pos_embeddings": 16,
        "num_conv_pos_embedding_groups": 4,
        "num_feat_extract_layers": 3,
    }
    made = hugging("Wav2Vec2Model", "Wav2Vec2Config", **settings, **positions, **NARROW)
    return Subject(made, keywords={"input_values": torch.randn(2, 1600)})


def generation(model: str, config: str, cache: str, **settings: Any) -> Subject:
    """Greedy generation of eight tokens, with this kind of cache."""
    made = hugging(model, config, **settings)
    made.generation_config.use_cache = made.config.use_cache = True
    keywords: dict[str, Any] = {"input_ids": tokens(), "attention_mask": torch.ones(2, TOKENS, dtype=torch.long)}
    keywords |= {"max_new_tokens": 8, "do_sample": False, "eos_token_id": -1, "cache_implementation": cache}
    return Subject(made, keywords=keywords, method="generate", trains=False)


GPT2 = {"n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 64}
MIXTRAL = {**GROUPED, "num_local_experts": 4, "num_experts_per_tok": 2}
HEADED = {**GROUPED, "head_dim": 16}
DEBERTA = {**NARROW, "relative_attention": True, "pos_att_type": ["p2c", "c2p"], "type_vocab_size": 0}
T5 = {"d_model": 64, "d_kv": 16, "d_ff": 96, "num_layers": 2, "num_heads": 4}
OPT = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "ffn_dim": 96, "word_embed_proj_dim": 64}
DISTILBERT = {"dim": 64, "n_layers": 2, "n_heads": 4, "hidden_dim": 96}
MAMBA = {"hidden_size": 64, "num_hidden_layers": 2, "state_size": 8}


def rows(library: str, table: dict[str, tuple[Any, ...]]) -> dict[str, Row]:
    """Rows of one library: a name, then a function and its arguments, of which a dict is the keywords."""
    found = {}
    for name, (function, *words) in table.items():
        settings = words.pop() if words and isinstance(words[-1], dict) else {}
        found[name] = Row(library, functools.partial(function, *words, **settings))
    return found


MODELS: dict[str, Row] = {
    **rows(
        "torchvision",
        {
            "resnet18": (vision, "resnet18"),
            "vgg11_bn": (vision_with_head, "vgg11_bn", 512 * 7 * 7),
            "alexnet": (vision_with_head, "alexnet", 256 * 6 * 6),
            "densenet": (densenet,),
            "mobilenet_v2": (vision, "mobilenet_v2", {"width_mult": 0.25}),
            "mobilenet_v3": (vision, "mobilenet_v3_small", {"width_mult": 0.25}),
            "efficientnet": (efficientnet,),
            "convnext": (convnext,),
            "regnet": (vision, "regnet_y_400mf"),
            "shufflenet_v2": (vision, "shufflenet_v2_x0_5"),
            "squeezenet": (vision, "squeezenet1_1"),
            "googlenet": (vision, "googlenet", {"aux_logits": False, "init_weights": False}),
            "mnasnet": (vision, "mnasnet0_5"),
            "swin": (swin,),
            "vit_b": (vision_transformer,),
            "maxvit": (maxvit,),
            "lraspp": (segmentation,),
            "faster_rcnn": (detection,),
        },
    ),
    **rows(
        "timm",
        {
            "timm_resnet10t": (timm_model, "resnet10t"),
            "timm_mobilenetv3": (timm_model, "mobilenetv3_small_050"),
            "timm_efficientnet_lite": (timm_model, "efficientnet_lite0"),
            "timm_convnext": (timm_model, "convnext_atto", {"depths": (1, 1, 2, 1)}),
            "timm_vit": (timm_model, "vit_tiny_patch16_224", {"img_size": PIXELS, "depth": 2}),
            "timm_deit": (timm_model, "deit_tiny_patch16_224", {"img_size": PIXELS, "depth": 2}),
            "timm_swin": (
                timm_model,
                "swin_tiny_patch4_window7_224",
                {"img_size": PIXELS, "window_size": 4, "embed_dim": 24, "depths": (2, 2), "num_heads": (2, 4)},
            ),
            "timm_mixer": (timm_model, "mixer_s32_224", {"img_size": PIXELS}),
            "timm_resmlp": (timm_model, "resmlp_12_224", {"img_size": PIXELS}),
            "timm_regnet": (timm_model, "regnetx_002"),
            "timm_ghostnet": (timm_model, "ghostnet_050"),
            "timm_mobilevit": (timm_model, "mobilevit_xxs"),
            "timm_poolformer": (timm_model, "poolformer_s12"),
            "timm_edgenext": (timm_model, "edgenext_xx_small"),
            "timm_beit": (timm_model, "beit_base_patch16_224", {"img_size": PIXELS, "depth": 2, "embed_dim": 96}),
            "timm_cait": (timm_model, "cait_xxs24_224", {"img_size": PIXELS, "depth": 2}),
        },
    ),
    **rows(
        "transformers",
        {
            "bert": (encoder, "BertModel", "BertConfig", NARROW),
            "roberta": (encoder, "RobertaModel", "RobertaConfig", NARROW),
            "electra": (encoder, "ElectraModel", "ElectraConfig", {**NARROW, "embedding_size": 32}),
            "albert": (encoder, "AlbertModel", "AlbertConfig", {**NARROW, "embedding_size": 32}),
            "distilbert": (encoder, "DistilBertModel", "DistilBertConfig", DISTILBERT),
            "deberta_v2": (encoder, "DebertaV2Model", "DebertaV2Config", DEBERTA),
            "gpt2": (language, "GPT2LMHeadModel", "GPT2Config", GPT2),
            "gpt_neox": (language, "GPTNeoXForCausalLM", "GPTNeoXConfig", NARROW),
            "llama": (language, "LlamaForCausalLM", "LlamaConfig", GROUPED),
            "mistral": (language, "MistralForCausalLM", "MistralConfig", {**GROUPED, "sliding_window": 6}),
            "qwen2": (language, "Qwen2ForCausalLM", "Qwen2Config", GROUPED),
            "qwen3": (language, "Qwen3ForCausalLM", "Qwen3Config", HEADED),
            "gemma": (language, "GemmaForCausalLM", "GemmaConfig", HEADED),
            "gemma2": (language, "Gemma2ForCausalLM", "Gemma2Config", HEADED),
            "phi": (language, "PhiForCausalLM", "PhiConfig", NARROW),
            "opt": (language, "OPTForCausalLM", "OPTConfig", OPT),
            "bloom": (language, "BloomForCausalLM", "BloomConfig", {"hidden_size": 64, "n_layer": 2, "n_head": 4}),
            "falcon": (language, "FalconForCausalLM", "FalconConfig", NARROW),
            "mixtral": (language, "MixtralForCausalLM", "MixtralConfig", MIXTRAL),
            "mamba": (language, "MambaForCausalLM", "MambaConfig", MAMBA),
            "t5": (text_to_text, "T5ForConditionalGeneration", "T5Config", T5),
            "bart": (text_to_text, "BartForConditionalGeneration", "BartConfig", ENCODER_DECODER),
            "whisper": (whisper,),
            "clip": (clip,),
            "hf_vit": (vit,),
            "wav2vec2": (wav2vec2,),
            "gpt2_generate": (generation, "GPT2LMHeadModel", "GPT2Config", "dynamic", GPT2),
            "gpt2_generate_static": (generation, "GPT2LMHeadModel", "GPT2Config", "static", GPT2),
            "llama_generate": (generation, "LlamaForCausalLM", "LlamaConfig", "dynamic", GROUPED),
            "llama_generate_static": (generation, "LlamaForCausalLM", "LlamaConfig", "static", GROUPED),
        },
    ),
}
