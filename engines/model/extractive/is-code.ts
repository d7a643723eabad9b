/** Whether a file holds source code or data, which is quoted by lines, rather than prose. */

const CODE = new Set(
  `js mjs cjs jsx ts mts cts tsx py rb php java kt kts scala go rs c h cc cpp cxx hpp cs swift m mm lua pl pm r jl sh bash
   zsh ps1 bat sql css scss less vue svelte dart ex exs erl hs clj fs vb asm tf proto gradle cmake dockerfile makefile
   json jsonl ndjson xml xsd xsl yaml yml toml ini cfg conf properties env lock svg`
    .trim()
    .split(/\s+/),
);

export const isCode = (fileName: string): boolean =>
  CODE.has(fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase());
