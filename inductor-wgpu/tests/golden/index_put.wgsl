struct Numbers { count: u32, size_d0: u32, size_d1: u32, out_offset: u32, out_d0: u32, out_d1: u32, base_offset: u32, base_d0: u32, base_d1: u32 }
@group(0) @binding(0) var<uniform> p: Numbers;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<storage, read> base: array<f32>;
fn out_put(at: u32, value: f32) {
    out[at] = value;
}
fn base_get(at: u32) -> f32 {
    return base[at];
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * 0x200000u;
    if (number >= p.count) { return; }
    let d1 = (number) % p.size_d1;
    let above_d1 = (number) / p.size_d1;
    let d0 = above_d1;
    out_put(p.out_offset + d0 * p.out_d0 + d1 * p.out_d1, base_get(p.base_offset + d0 * p.base_d0 + d1 * p.base_d1));
}

struct Numbers { count: u32, entries: u32, size_e0: u32, out_offset: u32, out_e0: u32, index0_offset: u32, index0_e0: u32, index0_size: u32, index0_step: u32 }
@group(0) @binding(0) var<uniform> p: Numbers;
@group(0) @binding(1) var<storage, read_write> fault: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> index0: array<i64>;
@group(0) @binding(3) var<storage, read_write> items: array<vec2<u32>>;
fn out_of_bounds() { atomicStore(&fault[0], 1u); }
fn index0_get(at: u32) -> i64 {
    return index0[at];
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * 0x200000u;
    if (number >= p.count) { return; }
    items[number] = vec2<u32>(0xffffffffu, number);
    if (number >= p.entries) { return; }
    let e0 = (number);
    var place = 0u + e0 * p.out_e0;
    var at0 = index0_get(p.index0_offset + e0 * p.index0_e0);
    if (at0 < i64(0)) { at0 += i64(p.index0_size); }
    if (at0 < i64(0) || at0 >= i64(p.index0_size)) { out_of_bounds(); return; }
    place += u32(at0) * p.index0_step;
    items[number] = vec2<u32>(place, number);
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

struct Numbers { count: u32, entries: u32, width: u32, size_e0: u32, size_r0: u32, out_offset: u32, out_e0: u32, out_r0: u32, source_offset: u32, source_e0: u32, source_r0: u32 }
@group(0) @binding(0) var<uniform> p: Numbers;
@group(0) @binding(1) var<storage, read> items: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(3) var<storage, read> source: array<f32>;
fn out_get(at: u32) -> f32 {
    return out[at];
}
fn out_put(at: u32, value: f32) {
    out[at] = value;
}
fn source_get(at: u32) -> f32 {
    return source[at];
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x + id.y * 0x200000u;
    if (number >= p.count) { return; }
    let first = number / p.width;
    let goes_to = items[first].x;
    if (goes_to == 0xffffffffu || (first > 0u && items[max(first, 1u) - 1u].x == goes_to)) { return; }
    let row = number % p.width;
    let r0 = (row);
    let place = p.out_offset + goes_to + r0 * p.out_r0;
    var result = out_get(place);
    var met = 1u;
    for (var at = first; at < p.entries && items[at].x == goes_to; at++) {
        let entry = items[at].y;
    let e0 = (entry);
        let value = source_get(p.source_offset + e0 * p.source_e0 + r0 * p.source_r0);
        result = value;
        met++;
    }
    out_put(place, result);
}
