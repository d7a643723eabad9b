/** Which models are shown pictures: those the operator lists, or else those whose names are known to see. */

/** Behind the part of the world that an inference profile begins with. */
const ON_BEDROCK = [
  /^anthropic\.claude-(3-(opus|sonnet|haiku|7)|3-5-sonnet|(opus|sonnet|haiku)-[4-9])/,
  /^amazon\.nova-(2-)?(lite|pro|premier)/,
  /^meta\.llama(3-2-(11|90)b|4-)/,
  /^mistral\.pixtral/,
];
const PROFILE = /^[a-z-]{2,6}\./;

/** Behind the name of whoever made them, as some servers put it. */
const BY_OPENAI = [
  /^gpt-(4o|4\.1|4-turbo|5)/,
  /^o[34](-|$)/,
  /^(llava|bakllava|moondream|minicpm-v|pixtral)/,
  /^(meta-)?llama-?4/,
  /^gemma-?3([:-](4b|12b|27b|latest)|$)/,
  /^qwen[\d.]*-?vl/,
  /-vision/,
];

const KNOWN: Readonly<Record<string, (name: string) => boolean>> = {
  bedrock: (name) => [name, name.replace(PROFILE, '')].some((each) => ON_BEDROCK.some((known) => known.test(each))),
  openai: (name) => {
    const last = name.toLowerCase().split('/').at(-1) ?? '';
    return BY_OPENAI.some((known) => known.test(last));
  },
};

/** The offline model reads, and never sees. */
export function seeing(listed: readonly string[] | undefined): (id: string) => boolean {
  if (listed) return (id) => listed.includes(id) && !id.startsWith('offline/');
  return (id) => {
    const slash = id.indexOf('/');
    const provider = id.slice(0, slash);
    return Object.hasOwn(KNOWN, provider) && KNOWN[provider]?.(id.slice(slash + 1)) === true;
  };
}
