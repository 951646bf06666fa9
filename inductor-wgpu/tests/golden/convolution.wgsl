struct Numbers { m: u32, n: u32, k: u32, group_channels: u32, group_filters: u32, height: u32, width: u32, out_height: u32, out_width: u32, filter_height: u32, filter_width: u32, stride_y: u32, stride_x: u32, padding_y: u32, padding_x: u32, dilation_y: u32, dilation_x: u32, input_offset: u32, input_image: u32, input_channel: u32, input_y: u32, input_x: u32, weight_offset: u32, weight_image: u32, weight_channel: u32, weight_y: u32, weight_x: u32, out_offset: u32, out_image: u32, out_channel: u32, out_y: u32, out_x: u32, bias_offset: u32, bias_channel: u32 }
@group(0) @binding(0) var<uniform> p: Numbers;
@group(0) @binding(1) var<storage, read> input: array<f32>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
@group(0) @binding(4) var<storage, read> bias: array<f32>;

fn load_a(batch: u32, row: u32, k: u32) -> f32 {
    let image = row / (p.out_height * p.out_width);
    let y = (row / p.out_width) % p.out_height;
    let x = row % p.out_width;
    let channel = batch * p.group_channels + k / (p.filter_height * p.filter_width);
    let down = (k / p.filter_width) % p.filter_height;
    let right = k % p.filter_width;
    let from_y = y * p.stride_y + down * p.dilation_y;
    let from_x = x * p.stride_x + right * p.dilation_x;
    if (from_y < p.padding_y || from_x < p.padding_x) { return 0.0; }
    if (from_y - p.padding_y >= p.height || from_x - p.padding_x >= p.width) { return 0.0; }
    return input[p.input_offset + image * p.input_image + channel * p.input_channel
        + (from_y - p.padding_y) * p.input_y + (from_x - p.padding_x) * p.input_x];
}
fn load_b(batch: u32, k: u32, column: u32) -> f32 {
    let channel = k / (p.filter_height * p.filter_width);
    let down = (k / p.filter_width) % p.filter_height;
    let right = k % p.filter_width;
    return weight[p.weight_offset + (batch * p.n + column) * p.weight_image + channel * p.weight_channel
        + down * p.weight_y + right * p.weight_x];
}
fn store(batch: u32, row: u32, column: u32, sum: f32) {
    let image = row / (p.out_height * p.out_width);
    let y = (row / p.out_width) % p.out_height;
    let x = row % p.out_width;
    let channel = batch * p.n + column;
    out[p.out_offset + image * p.out_image + channel * p.out_channel + y * p.out_y + x * p.out_x] = sum + bias[p.bias_offset + channel * p.bias_channel];
}
var<workgroup> slab_a: array<f32, 256>;
var<workgroup> slab_b: array<f32, 256>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let row = group.y * 16u;
    let column = group.x * 16u;
    let own_row = (thread / 16u) * 1u;
    let own_column = (thread % 16u) * 1u;
    var sums: array<f32, 1>;
    for (var at = 0u; at < p.k; at += 16u) {
        for (var i = 0u; i < 1u; i++) {
            let e = thread + i * 256u;
            let r = e % 16u;
            let k = e / 16u;
            var value = 0.0;
            if (row + r < p.m && at + k < p.k) { value = load_a(group.z, row + r, at + k); }
            slab_a[k * 16u + r] = value;
        }
        for (var i = 0u; i < 1u; i++) {
            let e = thread + i * 256u;
            let c = e / 16u;
            let k = e % 16u;
            var value = 0.0;
            if (column + c < p.n && at + k < p.k) { value = load_b(group.z, at + k, column + c); }
            slab_b[k * 16u + c] = value;
        }
        workgroupBarrier();
        for (var k = 0u; k < 16u; k++) {
            for (var r = 0u; r < 1u; r++) {
                let a = slab_a[k * 16u + own_row + r];
                for (var c = 0u; c < 1u; c++) {
                    sums[r * 1u + c] += a * slab_b[k * 16u + own_column + c];
                }
            }
        }
        workgroupBarrier();
    }
    for (var r = 0u; r < 1u; r++) {
        for (var c = 0u; c < 1u; c++) {
            if (row + own_row + r < p.m && column + own_column + c < p.n) {
                store(group.z, row + own_row + r, column + own_column + c, sums[r * 1u + c]);
            }
        }
    }
}
