struct Numbers { input_offset: u32, input_image: u32, input_channel: u32, input_y: u32, input_x: u32, out_offset: u32, out_image: u32, out_channel: u32, out_y: u32, out_x: u32, height: u32, width: u32, images: u32, channels: u32, out_height: u32, out_width: u32 }
@group(0) @binding(0) var<uniform> p: Numbers;
@group(0) @binding(1) var<storage, read> input: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
fn input_get(at: u32) -> f32 {
    return input[at];
}
fn out_put(at: u32, value: f32) {
    out[at] = value;
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
    let start_y = (y * p.height) / p.out_height;
    let start_x = (x * p.width) / p.out_width;
    let end_y = ((y + 1u) * p.height + p.out_height - 1u) / p.out_height;
    let end_x = ((x + 1u) * p.width + p.out_width - 1u) / p.out_width;
    var sum = 0.0;
    for (var down = start_y; down < end_y; down++) {
        for (var right = start_x; right < end_x; right++) { sum += element(image, channel, down, right); }
    }
    out_put(place, sum / f32((end_y - start_y) * (end_x - start_x)));
}
