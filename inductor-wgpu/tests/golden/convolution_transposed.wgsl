struct Numbers { m: u32, n: u32, k: u32, group_channels: u32, group_filters: u32, height: u32, width: u32, out_height: u32, out_width: u32, filter_height: u32, filter_width: u32, stride_y: u32, stride_x: u32, padding_y: u32, padding_x: u32, dilation_y: u32, dilation_x: u32, grad_offset: u32, grad_image: u32, grad_channel: u32, grad_y: u32, grad_x: u32, weight_offset: u32, weight_image: u32, weight_channel: u32, weight_y: u32, weight_x: u32, out_offset: u32, out_image: u32, out_channel: u32, out_y: u32, out_x: u32 }
@group(0) @binding(0) var<uniform> p: Numbers;
@group(0) @binding(1) var<storage, read> grad: array<f32>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

fn load_a(batch: u32, row: u32, k: u32) -> f32 {
    let image = row / (p.height * p.width);
    let y = (row / p.width) % p.height + p.padding_y;
    let x = row % p.width + p.padding_x;
    let channel = batch * p.group_filters + k / (p.filter_height * p.filter_width);
    let down = ((k / p.filter_width) % p.filter_height) * p.dilation_y;
    let right = (k % p.filter_width) * p.dilation_x;
    if (y < down || x < right) { return 0.0; }
    if ((y - down) % p.stride_y != 0u || (x - right) % p.stride_x != 0u) { return 0.0; }
    let at_y = (y - down) / p.stride_y;
    let at_x = (x - right) / p.stride_x;
    if (at_y >= p.out_height || at_x >= p.out_width) { return 0.0; }
    return grad[p.grad_offset + image * p.grad_image + channel * p.grad_channel + at_y * p.grad_y + at_x * p.grad_x];
}
fn load_b(batch: u32, k: u32, column: u32) -> f32 {
    let number = batch * p.group_filters + k / (p.filter_height * p.filter_width);
    let down = (k / p.filter_width) % p.filter_height;
    let right = k % p.filter_width;
    return weight[p.weight_offset + number * p.weight_image + column * p.weight_channel + down * p.weight_y
        + right * p.weight_x];
}
fn store(batch: u32, row: u32, column: u32, sum: f32) {
    let image = row / (p.height * p.width);
    let y = (row / p.width) % p.height;
    let x = row % p.width;
    let channel = batch * p.group_channels + column;
    out[p.out_offset + image * p.out_image + channel * p.out_channel + y * p.out_y + x * p.out_x] = sum;
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
            let c = e % 16u;
            let k = e / 16u;
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
