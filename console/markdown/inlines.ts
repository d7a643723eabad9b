/** What stands within a line of Markdown: emphasis, code, links to `http`, `https` and `mailto` alone. */

export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'emphasis'; content: Inline[] }
  | { kind: 'link'; address: string; text: string }
  | { kind: 'break' };

/** By their names in small letters. */
export type References = Map<string, string>;

const MOST_DEPTH = 6;
const TOKEN = new RegExp(
  [
    String.raw`\\(?<escaped>[!-/:-@[-\x60{-~])`,
    '(?<ticks>`{1,4})(?<code>[^`]+)\\k<ticks>',
    String.raw`!?\[(?<label>(?:\\.|[^\[\]\\]|\[[^\[\]]*\])*)\](?:\((?<address>[^()\s]+)(?:\s+"[^"]*")?\)|\[(?<name>[^\]]*)\])?`,
    String.raw`<(?<auto>(?:https?:\/\/|mailto:)[^\s<>]+)>`,
    String.raw`\*\*(?<strong>(?=\S)[^*]+?(?<=\S))\*\*`,
    String.raw`\*(?<star>(?=\S)[^*]+?(?<=\S))\*`,
    String.raw`(?<![\w])_(?<under>(?=\S)[^_]+?(?<=\S))_(?![\w])`,
    String.raw`(?<hard> {2}\n|\\\n)`,
  ].join('|'),
  'gu',
);

export function inlinesOf(text: string, references: References, depth = 0): Inline[] {
  if (depth > MOST_DEPTH) return [{ kind: 'text', text }];
  const found: Inline[] = [];
  let from = 0;
  for (const token of text.matchAll(TOKEN)) {
    const inline = inlineOf(token, references, depth);
    if (!inline) continue;
    add(found, text.slice(from, token.index));
    if (inline.kind === 'text') add(found, inline.text);
    else found.push(inline);
    from = token.index + token[0].length;
  }
  add(found, text.slice(from));
  return found;
}

function add(found: Inline[], text: string): void {
  if (text === '') return;
  const last = found.at(-1);
  if (last?.kind === 'text') last.text += text;
  else found.push({ kind: 'text', text });
}

/** Undefined: it stays the text that it is. */
function inlineOf({ groups = {} }: RegExpExecArray, references: References, depth: number): Inline | undefined {
  const { escaped, code, label, auto, strong, star, under, hard } = groups;
  const inside = (text: string) => inlinesOf(text, references, depth + 1);
  if (escaped !== undefined) return { kind: 'text', text: escaped };
  if (code !== undefined) return { kind: 'code', text: code };
  if (hard !== undefined) return { kind: 'break' };
  if (strong !== undefined) return { kind: 'strong', content: inside(strong) };
  const soft = star ?? under;
  if (soft !== undefined) return { kind: 'emphasis', content: inside(soft) };
  if (auto !== undefined) return linkTo(auto, auto);
  if (label === undefined) return undefined;
  return linkTo(addressOf(groups, label, references), label.replace(/\\(.)|[*_`]{1,2}/g, '$1'));
}

/** `[[3]]` is the reference `[3]` with its brackets shown. */
const addressOf = ({ address, name }: Record<string, string>, label: string, references: References) =>
  address ?? references.get((name || label.replace(/^\[(.*)\]$/, '$1')).toLowerCase());

function linkTo(address: string | undefined, text: string): Inline | undefined {
  const url = address === undefined ? null : URL.parse(address);
  if (url === null || !/^(https?|mailto):$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return undefined;
  return { kind: 'link', address: url.href, text };
}
