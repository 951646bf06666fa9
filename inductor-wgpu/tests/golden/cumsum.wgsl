struct Numbers { count: u32, extent: u32, size_d0: u32, input_offset: u32, input_d0: u32, input_along: u32, out_offset: u32, out_d0: u32, out_along: u32 }
@group(0) @binding(0) var<uniform> p: Numbers;
@group(0) @binding(1) var<storage, read> input: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
fn input_get(at: u32) -> f32 {
    return input[at];
}
fn out_put(at: u32, value: f32) {
    out[at] = value;
}

var<workgroup> totals: array<f32, 256>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let line = group.x + group.y * 0x8000u;
    if (line >= p.count) { return; }
    let d0 = (line);

    var carried = f32(0);
    for (var start = 0u; start < p.extent; start += 1024u) {
        var own: array<f32, 4>;
        var total = f32(0);
        for (var i = 0u; i < 4u; i++) {
            let place = start + thread * 4u + i;
            if (place < p.extent) { total = total + f32(input_get(p.input_offset + d0 * p.input_d0 + place * p.input_along)); }
            own[i] = total;
        }
        totals[thread] = total;
        workgroupBarrier();
        for (var apart = 1u; apart < 256u; apart = apart << 1u) {
            var both = totals[thread];
            if (thread >= apart) { both = totals[thread - apart] + both; }
            workgroupBarrier();
            totals[thread] = both;
            workgroupBarrier();
        }
        var before = carried;
        if (thread > 0u) { before = carried + totals[max(thread, 1u) - 1u]; }
        for (var i = 0u; i < 4u; i++) {
            let place = start + thread * 4u + i;
            if (place < p.extent) { out_put(p.out_offset + d0 * p.out_d0 + place * p.out_along, before + own[i]); }
        }
        carried = carried + totals[255];
        workgroupBarrier();
    }
}
