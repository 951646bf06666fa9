struct Numbers { m: u32, n: u32, k: u32, group_channels: u32, group_filters: u32, size_y: u32, size_x: u32, out_size_y: u32, out_size_x: u32, filter_y: u32, filter_x: u32, stride_y: u32, stride_x: u32, padding_y: u32, padding_x: u32, dilation_y: u32, dilation_x: u32, grad_offset: u32, grad_image: u32, grad_channel: u32, grad_y: u32, grad_x: u32, weight_offset: u32, weight_image: u32, weight_channel: u32, weight_y: u32, weight_x: u32, out_offset: u32, out_image: u32, out_channel: u32, out_y: u32, out_x: u32 }
@group(0) @binding(0) var<uniform> p: Numbers;
@group(0) @binding(1) var<storage, read> grad: array<f32>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
fn grad_get(at: u32) -> f32 {
    return grad[at];
}
fn weight_get(at: u32) -> f32 {
    return weight[at];
}
fn out_put(at: u32, value: f32) {
    out[at] = value;
}
fn load_a(batch: u32, row: u32, k: u32) -> f32 {
    let image = row / (p.size_y * p.size_x);
    let at_y = (row / (p.size_x)) % p.size_y;
    let at_x = row % p.size_x;
    let number = k / (p.filter_y * p.filter_x);
    let in_filter_y = (k / (p.filter_x)) % p.filter_y;
    let in_filter_x = k % p.filter_x;
    let far_y = at_y + p.padding_y;
    let far_x = at_x + p.padding_x;
    let back_y = in_filter_y * p.dilation_y;
    let back_x = in_filter_x * p.dilation_x;
    if (far_y < back_y || (far_y - back_y) % p.stride_y != 0u) { return 0.0; }
    if (far_x < back_x || (far_x - back_x) % p.stride_x != 0u) { return 0.0; }
    let to_y = (far_y - back_y) / p.stride_y;
    let to_x = (far_x - back_x) / p.stride_x;
    if (to_y >= p.out_size_y) { return 0.0; }
    if (to_x >= p.out_size_x) { return 0.0; }
    return grad_get(p.grad_offset + image * p.grad_image + (batch * p.group_filters + number) * p.grad_channel + to_y * p.grad_y + to_x * p.grad_x);
}
fn load_b(batch: u32, k: u32, column: u32) -> f32 {
    let number = k / (p.filter_y * p.filter_x);
    let in_filter_y = (k / (p.filter_x)) % p.filter_y;
    let in_filter_x = k % p.filter_x;
    return weight_get(p.weight_offset + (batch * p.group_filters + number) * p.weight_image + column * p.weight_channel + in_filter_y * p.weight_y + in_filter_x * p.weight_x);
}
fn store(batch: u32, row: u32, column: u32, sum: f32) {
    let image = row / (p.size_y * p.size_x);
    let at_y = (row / (p.size_x)) % p.size_y;
    let at_x = row % p.size_x;
    let channel = batch * p.group_channels + column;
    out_put(p.out_offset + image * p.out_image + channel * p.out_channel + at_y * p.out_y + at_x * p.out_x, sum);
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
            var value = f32(0);
            if (row + r < p.m && at + k < p.k) { value = load_a(group.z, row + r, at + k); }
            slab_a[k * 16u + r] = value;
        }
        for (var i = 0u; i < 1u; i++) {
            let e = thread + i * 256u;
            let c = e % 16u;
            let k = e / 16u;
            var value = f32(0);
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
