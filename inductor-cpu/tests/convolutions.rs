//! Convolutions against sums in double precision.

use inductor::convolution::Convolution;
use inductor_cpu::{Convolve, Cpu, Product};
use proptest::prelude::*;
use std::sync::OnceLock;

fn values(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed | 1;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    std::iter::repeat_with(next).take(count).collect()
}

/// The gaps between the rows, channels and images of what is convolved, and between channels and images of the result.
type Gaps = [usize; 5];

#[derive(Clone, Copy, Debug)]
struct Case {
    form: Convolve,
    threads: usize,
    vector_bytes: usize,
}

/// A convolution with these numbers; its sizes follow.
fn form(numbers: Convolution, images: usize, channels: [usize; 2], window: [usize; 2], gaps: Gaps) -> Convolve {
    let groups = numbers.groups;
    let more = [gaps[0] % 4 + 1, gaps[1] % 4 + 1].map(|n| 5 * n + gaps[2] % 3);
    let covered = [0, 1].map(|dim| numbers.dilation[dim] * (window[dim] - 1) + 1);
    let size = [0, 1].map(|dim| (covered[dim] + more[dim]).saturating_sub(2 * numbers.padding[dim]).max(1));
    let out_size =
        [0, 1].map(|dim| (size[dim] + 2 * numbers.padding[dim]).saturating_sub(covered[dim]) / numbers.stride[dim] + 1);
    let row = size[1] + gaps[0] % 2;
    let channel = size[0] * row + gaps[1] % 3;
    let image = channels[0] * groups * channel + gaps[2];
    let out_channel = out_size[0] * out_size[1] + gaps[3];
    let out_image = channels[1] * groups * out_channel + gaps[4];
    let bias = gaps[4].is_multiple_of(2).then_some(1);
    let (image, out) = ([image, channel, row], [out_image, out_channel]);
    Convolve { numbers, images, channels, size, window, out_size, image, out, bias }
}

fn case() -> impl Strategy<Value = Case> {
    let pair = |range: std::ops::Range<usize>| [range.clone(), range];
    let numbers = (pair(1..4), pair(0..4), pair(1..3), 1..3usize)
        .prop_map(|(stride, padding, dilation, groups)| Convolution { stride, padding, dilation, groups });
    let usual = (1..3usize, 0..3usize, 1..3usize).prop_map(|(stride, padding, groups)| Convolution {
        stride: [stride; 2],
        padding: [padding; 2],
        dilation: [1, 1],
        groups,
    });
    let numbers = prop_oneof![numbers, usual];
    let sizes = (1..4usize, [1..40usize, 1..40usize], pair(1..5), [0..7usize, 0..7, 0..7, 0..7, 0..7]);
    let host = (1..4usize, prop_oneof![Just(16), Just(32), Just(64)]);
    (numbers, sizes, host).prop_map(|(numbers, (images, channels, window, gaps), (threads, vector_bytes))| Case {
        form: form(numbers, images, channels, window, gaps),
        threads,
        vector_bytes,
    })
}

/// The host with vectors of at most so many bytes.
fn cpu(vector_bytes: usize) -> &'static Cpu {
    static HOSTS: [OnceLock<Cpu>; 3] = [const { OnceLock::new() }; 3];
    HOSTS[vector_bytes.trailing_zeros() as usize - 4].get_or_init(|| Cpu::with_vector_bytes(vector_bytes))
}

/// The sum of one pixel: image, channel of the result, row, column.
fn exact(form: &Convolve, [weight, image, bias]: [&[f32]; 3], [which, to, row, column]: [usize; 4]) -> f64 {
    let Convolve { numbers, channels: [channels, rows], size, window, image: strides, .. } = *form;
    let mut sum = form.bias.map_or(0.0, |stride| f64::from(bias[to * stride]));
    for (from, y, x) in
        (0..channels).flat_map(|c| (0..window[0]).flat_map(move |y| (0..window[1]).map(move |x| (c, y, x))))
    {
        let place =
            [row * numbers.stride[0] + y * numbers.dilation[0], column * numbers.stride[1] + x * numbers.dilation[1]];
        let inside = (0..2).all(|dim| (numbers.padding[dim]..numbers.padding[dim] + size[dim]).contains(&place[dim]));
        if inside {
            let channel = to / rows * channels + from;
            let at = which * strides[0] + channel * strides[1] + (place[0] - numbers.padding[0]) * strides[2];
            let element = image[at + place[1] - numbers.padding[1]];
            let factor = weight[((to * channels + from) * window[0] + y) * window[1] + x];
            sum += f64::from(element) * f64::from(factor);
        }
    }
    sum
}

fn check(case: Case) -> Result<(), TestCaseError> {
    let Case { form, threads, vector_bytes } = case;
    let Convolve { numbers, images, channels, size, window, out_size, image, out, .. } = form;
    let outputs = channels[1] * numbers.groups;
    let steps = channels[0] * window[0] * window[1];
    let span =
        (images - 1) * image[0] + (channels[0] * numbers.groups - 1) * image[1] + (size[0] - 1) * image[2] + size[1];
    let (x, y, z) = (values(outputs * steps, 1), values(span, 2), values(outputs, 3));
    let pixels = out_size[0] * out_size[1];
    let out_len = (images - 1) * out[0] + (outputs - 1) * out[1] + pixels;
    // What lies between the elements of the result keeps its value.
    let mut result = vec![f32::NEG_INFINITY; out_len];
    let kernel = cpu(vector_bytes).product(Product::Convolve(form)).expect("it compiles");
    let inputs = [&x, &y, &z].map(|v| v.as_ptr().cast_mut().cast());
    let to = result.as_mut_ptr().cast();
    let (with_bias, without) = ([inputs[0], inputs[1], inputs[2], to], [inputs[0], inputs[1], to]);
    // SAFETY: the buffers have the elements that the strides span.
    unsafe { kernel.launch(if form.bias.is_some() { &with_bias } else { &without }, &[], threads) };
    let mut written = vec![false; out_len];
    for number in 0..images * outputs * pixels {
        let (which, channel, pixel) = (number / (outputs * pixels), number / pixels % outputs, number % pixels);
        let at = which * out[0] + channel * out[1] + pixel;
        written[at] = true;
        let exact = exact(&form, [&x, &y, &z], [which, channel, pixel / out_size[1], pixel % out_size[1]]);
        let error = (f64::from(result[at]) - exact).abs();
        prop_assert!(
            error <= 1e-6 * (steps as f64).max(4.0),
            "[{which}, {channel}, {pixel}]: {} is not {exact}",
            result[at]
        );
    }
    for (value, written) in result.iter().zip(written) {
        prop_assert!(written || *value == f32::NEG_INFINITY, "something else was written");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn equal_sums_in_double_precision(case in case()) {
        check(case)?;
    }
}

#[test]
fn windows_may_hang_over_every_edge() {
    let numbers = Convolution { stride: [1, 1], padding: [3, 3], dilation: [1, 1], groups: 1 };
    let image = [8, 4, 2];
    let form = Convolve {
        numbers,
        images: 2,
        channels: [1, 13],
        size: [2, 2],
        window: [7, 7],
        out_size: [2, 2],
        image,
        out: [13 * 4, 4],
        bias: None,
    };
    check(Case { form, threads: 1, vector_bytes: 64 }).expect("the convolution is right");
}
