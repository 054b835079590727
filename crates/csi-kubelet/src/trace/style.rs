//! The colours and letters of the picture and the page, for light and dark screens and for paper.

use super::look::Look;

const LIGHT: &str = "--ground:#ffffff;--ink:#1f2328;--soft:#59636e;--line:#d0d7de;--band:#eef1f4;--box:#ddf4ff;--edge:#0969da;\
--bar:#b6e3ff;--note:#fff8c5;--note-edge:#bf8700;--good:#1a7f37;--bad:#cf222e";

const DARK: &str = "--ground:#0d1117;--ink:#f0f6fc;--soft:#9da7b3;--line:#3d444d;--band:#1c2330;--box:#12233f;--edge:#4493f8;\
--bar:#1f4a80;--note:#2b2410;--note-edge:#bb8009;--good:#3fb950;--bad:#ff7b72";

/// Letters that have the widths the picture counts on; see `Look`.
const PITCH: &str =
    "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace";

/// What the picture needs. Its elements have the class `flow` above them.
pub(super) fn of_figures() -> String {
    let sizes = Look::ALL.map(|Look { class, size, .. }| {
        format!(
            ".flow .{class}{{font-size:{size}px}}
"
        )
    });
    let sizes = sizes.concat();
    format!(
        "\
:root{{color-scheme:light dark;{LIGHT}}}
@media (prefers-color-scheme:dark){{:root{{{DARK}}}}}
@media print{{:root{{color-scheme:light;{LIGHT}}}}}
.flow text{{fill:var(--ink);font:12px {PITCH};white-space:pre;stroke:var(--ground);stroke-width:4px;stroke-linejoin:round;paint-order:stroke}}
{sizes}.flow .what{{font-weight:600}}
.flow .more,.flow .time{{fill:var(--soft)}}
.flow .head text{{font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;stroke:none}}
.flow .head .name{{font-size:14px;font-weight:600}}
.flow .head .role{{font-size:11px;fill:var(--soft)}}
.flow .title,.flow .chapter{{font-weight:600;stroke:none}}
.flow .ground{{fill:var(--ground)}}
.flow .band{{fill:var(--band)}}
.flow .head rect{{fill:var(--box);stroke:var(--edge);stroke-width:1.5}}
.flow .life{{stroke:var(--soft);stroke-opacity:.55;stroke-dasharray:3 4}}
.flow .bar{{fill:var(--bar);stroke:var(--edge)}}
.flow .arrow{{fill:none;stroke:var(--ink);stroke-width:1.5}}
.flow .tip{{fill:var(--ink)}}
.flow .back{{stroke-dasharray:6 4}}
.flow .note{{fill:var(--note);stroke:var(--note-edge)}}
.flow .note-text text{{stroke:none}}
.flow .mark{{fill:none;stroke:var(--good);stroke-width:2;stroke-linecap:round;stroke-linejoin:round}}
.flow .well .code{{fill:var(--good)}}
.flow .failed .code,.flow .failed .message{{fill:var(--bad)}}
.flow .failed .arrow,.flow .failed .mark,.flow .failed .note{{stroke:var(--bad)}}
.flow .failed .arrow{{stroke-width:2}}
.flow .failed .tip{{fill:var(--bad)}}
.flow .failed .back{{stroke-dasharray:10 4 2 4}}
.flow .failed .note{{stroke-width:2;stroke-dasharray:10 4 2 4}}
"
    )
}

/// What the page needs beside its pictures.
pub(super) const OF_PAGE: &str = "\
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem;max-width:80rem;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}
h1{font-size:1.5rem;margin:0 0 .25rem;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2rem 0 .5rem;padding-top:.5rem;border-top:1px solid var(--line);overflow-wrap:anywhere}
p{margin:.25rem 0;color:var(--soft)}
figure{margin:0 0 1rem}
.wide{overflow-x:auto}
.wide:focus-visible{outline:2px solid var(--edge);outline-offset:2px}
svg{display:block;width:100%;min-width:46rem;height:auto}
table{border-collapse:collapse;width:100%;min-width:46rem;font-size:.85rem}
caption{text-align:left;color:var(--soft);padding-bottom:.5rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .5rem;border-bottom:1px solid var(--line)}
thead th{border-bottom:2px solid var(--line)}
th[scope=rowgroup]{background:var(--band)}
td{overflow-wrap:anywhere}
td.what{min-width:16em}
.result{min-width:14em}
td,dd,dt{unicode-bidi:isolate;white-space:pre-wrap}
.number,.who{white-space:nowrap}
.number{text-align:right;font-variant-numeric:tabular-nums}
td.what{font-weight:600}
.failed td{color:var(--bad)}
.ok .result{color:var(--good)}
dl{margin:0}
dl div{padding-left:1em;text-indent:-1em}
dt,dd{display:inline;margin:0}
dt{color:var(--soft)}
.failed dt{color:inherit}
@media print{
@page{margin:12mm}
body{max-width:none;padding:0;font-size:12px}
h1{font-size:18px}
h2{font-size:15px;margin-top:1rem;break-after:avoid}
section+section{break-before:page}
figure,tr{break-inside:avoid}
.wide{overflow:visible}
svg,table{min-width:0}
table{font-size:9px}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
";
