struct Numbers { count: u32, length: u32, extent: u32, size_d0: u32, input_offset: u32, input_d0: u32, input_along: u32 }
@group(0) @binding(0) var<uniform> p: Numbers;
@group(0) @binding(1) var<storage, read> input: array<f32>;
@group(0) @binding(2) var<storage, read_write> items: array<vec2<u32>>;
fn input_get(at: u32) -> f32 {
    return input[at];
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * 0x200000u;
    if (number >= p.count) { return; }
    let at = number % p.length;
    items[number] = vec2<u32>(0xffffffffu, at);
    if (at >= p.extent) { return; }
    let d0 = (number / p.length);
    let value = input_get(p.input_offset + d0 * p.input_d0 + at * p.input_along);
    var bits = bitcast<u32>(value);
    if ((bits << 1u) == 0u) { bits = 0u; }
    var key = select(bits | 0x80000000u, ~bits, (bits >> 31u) == 1u);
    if ((bits & 0x7fffffffu) > 0x7f800000u) { key = 0xffffffffu; }
    items[number] = vec2<u32>(~key, at);
}

struct Numbers { mask: u32, from_size: u32, to_size: u32, all: u32 }
@group(0) @binding(0) var<uniform> p: Numbers;
@group(0) @binding(1) var<storage, read_write> items: array<vec2<u32>>;
fn before(a: vec2<u32>, b: vec2<u32>) -> bool { return a.x < b.x || (a.x == b.x && a.y < b.y); }
var<workgroup> slab: array<vec2<u32>, 1024>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let start = (group.x + group.y * 0x8000u) * 1024u;
    if (start >= p.all) { return; }
    for (var i = thread; i < 1024u; i += 256u) { slab[i] = items[start + i]; }
    workgroupBarrier();
    for (var size = p.from_size; size <= p.to_size; size = size << 1u) {
        for (var apart = min(size, 1024u) >> 1u; apart > 0u; apart = apart >> 1u) {
            for (var pair = thread; pair < 1024u / 2u; pair += 256u) {
                let low = ((pair & ~(apart - 1u)) << 1u) | (pair & (apart - 1u));
                let ascends = ((start + low) & p.mask & size) == 0u;
                let a = slab[low];
                let b = slab[low + apart];
                if (before(b, a) == ascends) {
                    slab[low] = b;
                    slab[low + apart] = a;
                }
            }
            workgroupBarrier();
        }
    }
    for (var i = thread; i < 1024u; i += 256u) { items[start + i] = slab[i]; }
}

struct Numbers { count: u32, length: u32, kept: u32, size_d0: u32, input_offset: u32, input_d0: u32, input_along: u32, values_offset: u32, values_d0: u32, values_along: u32, indices_offset: u32, indices_d0: u32, indices_along: u32 }
@group(0) @binding(0) var<uniform> p: Numbers;
@group(0) @binding(1) var<storage, read> items: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> input: array<f32>;
@group(0) @binding(3) var<storage, read_write> values: array<f32>;
@group(0) @binding(4) var<storage, read_write> indices: array<i64>;
fn input_get(at: u32) -> f32 {
    return input[at];
}
fn values_put(at: u32, value: f32) {
    values[at] = value;
}
fn indices_put(at: u32, value: i64) {
    indices[at] = value;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * 0x200000u;
    if (number >= p.count) { return; }
    let at = number % p.kept;
    let line = number / p.kept;
    let d0 = (line);
    let from_place = items[line * p.length + at].y;
    values_put(p.values_offset + d0 * p.values_d0 + at * p.values_along, input_get(p.input_offset + d0 * p.input_d0 + from_place * p.input_along));
    indices_put(p.indices_offset + d0 * p.indices_d0 + at * p.indices_along, i64(from_place));
}
