struct Numbers { kernel_z: u32, kernel_y: u32, kernel_x: u32, stride_z: u32, stride_y: u32, stride_x: u32, padding_z: u32, padding_y: u32, padding_x: u32, dilation_z: u32, dilation_y: u32, dilation_x: u32, images: u32, channels: u32, size_z: u32, size_y: u32, size_x: u32, out_size_z: u32, out_size_y: u32, out_size_x: u32, input_offset: u32, input_image: u32, input_channel: u32, input_z: u32, input_y: u32, input_x: u32, out_offset: u32, out_image: u32, out_channel: u32, out_z: u32, out_y: u32, out_x: u32, indices_offset: u32, indices_image: u32, indices_channel: u32, indices_z: u32, indices_y: u32, indices_x: u32, count: u32 }
@group(0) @binding(0) var<uniform> p: Numbers;
@group(0) @binding(1) var<storage, read> input: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(3) var<storage, read_write> indices: array<i64>;
fn input_get(at: u32) -> f32 {
    return input[at];
}
fn out_put(at: u32, value: f32) {
    out[at] = value;
}
fn indices_put(at: u32, value: i64) {
    indices[at] = value;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * 0x200000u;
    if (number >= p.count) { return; }
    let plane = number / (p.out_size_z * p.out_size_y * p.out_size_x);
    let to_z = (number / (p.out_size_y * p.out_size_x)) % p.out_size_z;
    let to_y = (number / (p.out_size_x)) % p.out_size_y;
    let to_x = number % p.out_size_x;
    let image = plane / p.channels;
    let channel = plane % p.channels;
    var best = 0.0;
    var best_at = 0u;
    var is_first = true;
    for (var step_z = 0u; step_z < p.kernel_z; step_z++) {
    let far_z = to_z * p.stride_z + step_z * p.dilation_z;
    if (far_z < p.padding_z || far_z - p.padding_z >= p.size_z) { continue; }
    let at_z = far_z - p.padding_z;
    for (var step_y = 0u; step_y < p.kernel_y; step_y++) {
    let far_y = to_y * p.stride_y + step_y * p.dilation_y;
    if (far_y < p.padding_y || far_y - p.padding_y >= p.size_y) { continue; }
    let at_y = far_y - p.padding_y;
    for (var step_x = 0u; step_x < p.kernel_x; step_x++) {
    let far_x = to_x * p.stride_x + step_x * p.dilation_x;
    if (far_x < p.padding_x || far_x - p.padding_x >= p.size_x) { continue; }
    let at_x = far_x - p.padding_x;
    let value = input_get(p.input_offset + image * p.input_image + channel * p.input_channel + at_z * p.input_z + at_y * p.input_y + at_x * p.input_x);
    let is_nan = (bitcast<u32>(value) & 0x7fffffffu) > 0x7f800000u;
    if (is_first || value > best || is_nan) {
        best = value;
        best_at = ((at_z) * p.size_y + at_y) * p.size_x + at_x;
    }
    is_first = false;
    }
    }
    }
    out_put(p.out_offset + image * p.out_image + channel * p.out_channel + to_z * p.out_z + to_y * p.out_y + to_x * p.out_x, best);
    indices_put(p.indices_offset + image * p.indices_image + channel * p.indices_channel + to_z * p.indices_z + to_y * p.indices_y + to_x * p.indices_x, i64(best_at));
}
