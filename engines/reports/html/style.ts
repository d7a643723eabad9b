/** How a report looks: on a screen by day and by night, on a phone, on paper. */
import { className, DARK, LIGHT } from '../../charts/paints.ts';

const NAMED = ['paper', 'ink', 'soft', 'grid', 'axis'] as const;

/** Charts carry the colours of the day themselves. */
const nightly = [
  ...NAMED.map((paint) => [className(paint), DARK[paint]] as const),
  ...DARK.series.map((colour, series) => [className({ series }), colour] as const),
]
  .map(([name, colour]) => `.${name}{fill:${colour}}.${name}.c-stroke{fill:none;stroke:${colour}}`)
  .join('');

export const STYLE = `
:root{color-scheme:light dark;--paper:${LIGHT.paper};--ink:${LIGHT.ink};--soft:${LIGHT.soft};--line:#d5dae1;--link:#0a5c99;--note:#fff6e0;--note-line:#c98a00;--band:#f6f8fa}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1.0625rem/1.6 Inter,system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;font-kerning:normal;overflow-wrap:break-word}
main{max-width:46rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:2rem;line-height:1.2;letter-spacing:-.015em;margin:0 0 .5rem;text-wrap:balance}
h2{font-size:1.35rem;line-height:1.3;letter-spacing:-.01em;margin:2.75rem 0 .75rem;text-wrap:balance}
p,ul,ol,blockquote,figure,.table{margin:0 0 1.1rem}
.subtitle{font-size:1.2rem;line-height:1.45;color:var(--soft);margin:0 0 .75rem}
.made{color:var(--soft);font-size:.9375rem;margin:0 0 1.5rem}
.note{background:var(--note);border-left:4px solid var(--note-line);border-radius:0 6px 6px 0;padding:.7rem 1rem;margin:0 0 .75rem}
nav{border-block:1px solid var(--line);padding:.9rem 0;margin:1.5rem 0}
nav ol{margin:0;padding-left:1.5rem}
a{color:var(--link);text-underline-offset:.15em}
nav a,.cite a{text-decoration:none}
a:hover{text-decoration:underline}
a:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:2px}
ul,ol{padding-left:1.5rem}
li{margin:.3rem 0}
.cite{font-weight:400;font-size:.75em;line-height:0;vertical-align:.45em;margin-left:.1em;white-space:nowrap}
blockquote{border-left:3px solid var(--line);padding:.1rem 0 .1rem 1.1rem;color:var(--soft)}
.table{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9375rem;line-height:1.4;font-variant-numeric:tabular-nums}
caption,figcaption{text-align:left;font-weight:600;padding-bottom:.6rem;line-height:1.35;text-wrap:balance}
th,td{text-align:left;vertical-align:top;padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--line);min-width:4.5rem;overflow-wrap:normal}
th:last-child,td:last-child{padding-right:0}
thead th{border-bottom:2px solid var(--ink);vertical-align:bottom}
tbody th{font-weight:400}
.end{text-align:right}
figure{margin-block:1.75rem}
figure svg{display:block;width:100%;height:auto}
figure .narrow{display:none}
.from{color:var(--soft);font-size:.875rem;margin:.4rem 0 0}
details{margin-top:.5rem;font-size:.9375rem}
summary{cursor:pointer;color:var(--link)}
.sources li{padding-left:.25rem}
.sources span{color:var(--soft)}
@media (max-width:600px){body{font-size:1rem}main{padding:1.5rem 1rem 3rem}h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.25rem}figure .narrow{display:block}figure .wide{display:none}}
@media screen and (prefers-color-scheme:dark){:root{--paper:${DARK.paper};--ink:${DARK.ink};--soft:${DARK.soft};--line:#323b47;--link:#7cbcf5;--note:#33290f;--note-line:#d8a53a;--band:#1e252e}${nightly}}
@media print{@page{size:A4;margin:18mm}body{font-size:10.5pt}main{max-width:none;padding:0}h1,h2,figcaption,caption{break-after:avoid}figure,blockquote,tr,.note{break-inside:avoid}thead{display:table-header-group}.table{overflow:visible}details,nav{display:none}a{color:inherit;text-decoration:none}figure .wide{display:block!important}figure .narrow{display:none!important}}
`.trim();
