struct Numbers { kernel_y: u32, kernel_x: u32, stride_y: u32, stride_x: u32, padding_y: u32, padding_x: u32, images: u32, channels: u32, size_y: u32, size_x: u32, out_size_y: u32, out_size_x: u32, input_offset: u32, input_image: u32, input_channel: u32, input_y: u32, input_x: u32, out_offset: u32, out_image: u32, out_channel: u32, out_y: u32, out_x: u32, count: u32 }
@group(0) @binding(0) var<uniform> p: Numbers;
@group(0) @binding(1) var<storage, read> input: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
fn input_get(at: u32) -> f32 {
    return input[at];
}
fn out_put(at: u32, value: f32) {
    out[at] = value;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * 0x200000u;
    if (number >= p.count) { return; }
    let plane = number / (p.out_size_y * p.out_size_x);
    let to_y = (number / (p.out_size_x)) % p.out_size_y;
    let to_x = number % p.out_size_x;
    let image = plane / p.channels;
    let channel = plane % p.channels;
    var sum = 0.0;
    let from_y = to_y * p.stride_y;
    let reach_y = min(from_y + p.kernel_y, p.size_y + 2u * p.padding_y);
    let start_y = max(from_y, p.padding_y) - p.padding_y;
    let end_y = min(max(reach_y, p.padding_y) - p.padding_y, p.size_y);
    let from_x = to_x * p.stride_x;
    let reach_x = min(from_x + p.kernel_x, p.size_x + 2u * p.padding_x);
    let start_x = max(from_x, p.padding_x) - p.padding_x;
    let end_x = min(max(reach_x, p.padding_x) - p.padding_x, p.size_x);
    for (var at_y = start_y; at_y < end_y; at_y++) {
    for (var at_x = start_x; at_x < end_x; at_x++) {
    sum += input_get(p.input_offset + image * p.input_image + channel * p.input_channel + at_y * p.input_y + at_x * p.input_x);
    }
    }
    out_put(p.out_offset + image * p.out_image + channel * p.out_channel + to_y * p.out_y + to_x * p.out_x, sum / f32((reach_y - from_y) * (reach_x - from_x)));
}
