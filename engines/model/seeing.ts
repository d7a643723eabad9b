/** Which models are shown pictures: those the operator lists, or else those whose names are known to see. */

/** Behind the part of the world that an inference profile begins with. */
const BEDROCK_VISION_MODELS = [
  /^anthropic\.claude-(3-(opus|sonnet|haiku|7)|3-5-sonnet|(opus|sonnet|haiku)-[4-9])/,
  /^amazon\.nova-(2-)?(lite|pro|premier)/,
  /^meta\.llama(3-2-(11|90)b|4-)/,
  /^mistral\.pixtral/,
];
const PROFILE = /^[a-z-]{2,6}\./;

/** Behind the name of whoever made them, as some servers put it. */
const OPENAI_VISION_MODELS = [
  /^gpt-(4o|4\.1|4-turbo|5)/,
  /^o[34](-|$)/,
  /^(llava|bakllava|moondream|minicpm-v|pixtral)/,
  /^(meta-)?llama-?4/,
  /^gemma-?3([:-](4b|12b|27b|latest)|$)/,
  /^qwen[\d.]*-?vl/,
  /-vision/,
];

const HAS_VISION: Readonly<Record<string, (name: string) => boolean>> = {
  bedrock: (name) =>
    [name, name.replace(PROFILE, '')].some((each) => BEDROCK_VISION_MODELS.some((known) => known.test(each))),
  openai: (name) => {
    const last = name.toLowerCase().split('/').at(-1) ?? '';
    return OPENAI_VISION_MODELS.some((known) => known.test(last));
  },
};

/** The offline model reads, and never sees. */
export function visionSupport(configured: readonly string[] | undefined): (id: string) => boolean {
  if (configured) return (id) => configured.includes(id) && !id.startsWith('offline/');
  return (id) => {
    const slash = id.indexOf('/');
    const provider = id.slice(0, slash);
    return Object.hasOwn(HAS_VISION, provider) && HAS_VISION[provider]?.(id.slice(slash + 1)) === true;
  };
}
