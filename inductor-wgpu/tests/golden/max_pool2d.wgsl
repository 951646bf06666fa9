struct Numbers { kernel_y: u32, kernel_x: u32, stride_y: u32, stride_x: u32, padding_y: u32, padding_x: u32, dilation_y: u32, dilation_x: u32, input_offset: u32, input_image: u32, input_channel: u32, input_y: u32, input_x: u32, out_offset: u32, out_image: u32, out_channel: u32, out_y: u32, out_x: u32, height: u32, width: u32, images: u32, channels: u32, out_height: u32, out_width: u32, indices_offset: u32, indices_image: u32, indices_channel: u32, indices_y: u32, indices_x: u32 }
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
fn element(image: u32, channel: u32, y: u32, x: u32) -> f32 {
    return input_get(p.input_offset + image * p.input_image + channel * p.input_channel + y * p.input_y + x * p.input_x);
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= p.out_height * p.out_width) { return; }
    let y = id.x / p.out_width;
    let x = id.x % p.out_width;
    let channel = id.y;
    let image = id.z;
    let place = p.out_offset + image * p.out_image + channel * p.out_channel + y * p.out_y + x * p.out_x;
    
    let from_y = y * p.stride_y;
    let from_x = x * p.stride_x;

    var best = 0.0;
    var best_at = 0u;
    var is_first = true;
    for (var down = 0u; down < p.kernel_y; down++) {
        let at_y = from_y + down * p.dilation_y;
        if (at_y < p.padding_y || at_y - p.padding_y >= p.height) { continue; }
        for (var right = 0u; right < p.kernel_x; right++) {
            let at_x = from_x + right * p.dilation_x;
            if (at_x < p.padding_x || at_x - p.padding_x >= p.width) { continue; }
            let value = element(image, channel, at_y - p.padding_y, at_x - p.padding_x);
            let is_nan = (bitcast<u32>(value) & 0x7fffffffu) > 0x7f800000u;
            if (is_first || value > best || is_nan) {
                best = value;
                best_at = (at_y - p.padding_y) * p.width + at_x - p.padding_x;
            }
            is_first = false;
        }
    }
    out_put(place, best);
    indices_put(p.indices_offset + image * p.indices_image + channel * p.indices_channel + y * p.indices_y + x * p.indices_x, i64(best_at));
}
