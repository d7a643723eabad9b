/** Renders Markdown as elements, never from other people's HTML. */
import { lexer, type Token, type Tokens } from 'marked';
import { useMemo } from 'preact/hooks';
import { Letters, Scroll } from '../ui/parts.tsx';

export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => parse(text), [text]);
  return (
    <div class="prose">
      <Blocks blocks={blocks} />
    </div>
  );
}

const Blocks = ({ blocks }: { blocks: ParsedBlock[] }) => (
  <>
    {blocks.map((block, index) => (
      <OneBlock key={index} block={block} />
    ))}
  </>
);

function OneBlock({ block }: { block: ParsedBlock }) {
  switch (block.kind) {
    case 'heading': {
      // The page's own heading is above.
      const Heading = block.level <= 2 ? 'h3' : 'h4';
      return (
        <Heading>
          <Inlines content={block.content} />
        </Heading>
      );
    }
    case 'paragraph':
      return (
        <p>
          <Inlines content={block.content} />
        </p>
      );
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case 'list':
      return <List {...block} />;
    case 'code':
      return <Letters label="Code" text={block.text} />;
    case 'table':
      return <Table {...block} />;
    default:
      return <hr />;
  }
}

function List({ isOrdered, start, items }: Extract<ParsedBlock, { kind: 'list' }>) {
  const entries = items.map((blocks, index) => (
    <li key={index}>
      {blocks.length === 1 && blocks[0]?.kind === 'paragraph' ? (
        <Inlines content={blocks[0].content} />
      ) : (
        <Blocks blocks={blocks} />
      )}
    </li>
  ));
  return isOrdered ? <ol start={start}>{entries}</ol> : <ul>{entries}</ul>;
}

const Table = ({ head, rows }: Extract<ParsedBlock, { kind: 'table' }>) => (
  <Scroll label="Table">
    <table>
      <thead>
        <tr>
          {head.map((cell, index) => (
            <th key={index} scope="col">
              <Inlines content={cell} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, at) => (
              <td key={at}>
                <Inlines content={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);

const Inlines = ({ content }: { content: MarkdownInline[] }) => (
  <>
    {content.map((inline, index) => (
      <OneInline key={index} inline={inline} />
    ))}
  </>
);

function OneInline({ inline }: { inline: MarkdownInline }) {
  switch (inline.kind) {
    case 'text':
      return <>{inline.text}</>;
    case 'code':
      return <code>{inline.text}</code>;
    case 'break':
      return <br />;
    case 'strong':
      return (
        <strong>
          <Inlines content={inline.content} />
        </strong>
      );
    case 'emphasis':
      return (
        <em>
          <Inlines content={inline.content} />
        </em>
      );
    case 'deleted':
      return (
        <del>
          <Inlines content={inline.content} />
        </del>
      );
    default:
      return (
        <a href={inline.address} target="_blank" rel="noopener noreferrer">
          {inline.text}
        </a>
      );
  }
}

type MarkdownInline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'emphasis' | 'deleted'; content: MarkdownInline[] }
  | { kind: 'link'; address: string; text: string }
  | { kind: 'break' };

type ParsedBlock =
  | { kind: 'heading'; level: number; content: MarkdownInline[] }
  | { kind: 'paragraph'; content: MarkdownInline[] }
  | { kind: 'quote'; blocks: ParsedBlock[] }
  | { kind: 'list'; isOrdered: boolean; start: number; items: ParsedBlock[][] }
  | { kind: 'code'; text: string }
  | { kind: 'table'; head: MarkdownInline[][]; rows: MarkdownInline[][][] }
  | { kind: 'rule' };

/** The lexer recurses per level and takes quadratic time on these; deeper nesting and longer lines are shown as text. */
const MAX_NESTING = 20;
const MAX_SIGNS_OF_LINE = 2_000;
const NESTED = new RegExp(`^(?:[ \\t]*(?:>|[-*+]|\\d{1,9}[.)])){${MAX_NESTING},}`, 'm');
const SIGNS = /[[\]`*_~<\\|]/g;

export function parse(text: string): ParsedBlock[] {
  const isHostile = NESTED.test(text) || text.split('\n').some((line) => countSigns(line) > MAX_SIGNS_OF_LINE);
  return isHostile ? [{ kind: 'paragraph', content: [{ kind: 'text', text }] }] : blocksOf(lexer(text, { gfm: true }));
}

const countSigns = (line: string): number => line.match(SIGNS)?.length ?? 0;

const blocksOf = (tokens: readonly Token[]): ParsedBlock[] => tokens.flatMap((token) => blockOf(token) ?? []);

function blockOf(token: Token): ParsedBlock | undefined {
  switch (token.type) {
    case 'space':
    case 'def':
      return undefined;
    case 'heading':
      return { kind: 'heading', level: token.depth, content: inlinesOf(token) };
    case 'blockquote':
      return { kind: 'quote', blocks: blocksOf(token.tokens ?? []) };
    case 'list':
      return listOf(token as Tokens.List);
    case 'code':
      return { kind: 'code', text: token.text };
    case 'table':
      return tableOf(token as Tokens.Table);
    case 'hr':
      return { kind: 'rule' };
    default:
      return { kind: 'paragraph', content: inlinesOf(token) };
  }
}

const listOf = ({ ordered, start, items }: Tokens.List): ParsedBlock => ({
  kind: 'list',
  isOrdered: ordered,
  start: start === '' ? 1 : start,
  items: items.map(itemOf),
});

/** A task's checkbox is shown as a sign before its text. */
function itemOf({ task, checked, tokens }: Tokens.ListItem): ParsedBlock[] {
  const blocks = blocksOf(tokens.filter(({ type }) => type !== 'checkbox'));
  if (!task) return blocks;
  const box: MarkdownInline = { kind: 'text', text: checked ? '☑ ' : '☐ ' };
  const [firstBlock, ...otherBlocks] = blocks;
  if (firstBlock?.kind !== 'paragraph') return [{ kind: 'paragraph', content: [box] }, ...blocks];
  return [{ kind: 'paragraph', content: [box, ...firstBlock.content] }, ...otherBlocks];
}

const tableOf = ({ header, rows }: Tokens.Table): ParsedBlock => ({
  kind: 'table',
  head: header.map(inlinesOf),
  rows: rows.map((row) => row.map(inlinesOf)),
});

/** The content of a token, with adjacent texts joined. A token without parts is its own raw text. */
function inlinesOf(token: { tokens?: Token[]; raw?: string }): MarkdownInline[] {
  const inlines: MarkdownInline[] = [];
  for (const inline of token.tokens?.flatMap(inlineOf) ?? [asText((token.raw ?? '').trimEnd())]) {
    const last = inlines.at(-1);
    if (inline.kind === 'text' && last?.kind === 'text') last.text += inline.text;
    else inlines.push(inline);
  }
  return inlines;
}

function inlineOf(token: Token): MarkdownInline[] {
  switch (token.type) {
    case 'text':
      return token.tokens ? inlinesOf(token) : [asText(token.text)];
    case 'escape':
      return [{ kind: 'text', text: token.text }];
    case 'codespan':
      return [{ kind: 'code', text: token.text }];
    case 'strong':
      return [{ kind: 'strong', content: inlinesOf(token) }];
    case 'em':
      return [{ kind: 'emphasis', content: inlinesOf(token) }];
    case 'del':
      return [{ kind: 'deleted', content: inlinesOf(token) }];
    case 'br':
      return [{ kind: 'break' }];
    case 'checkbox':
      return [];
    case 'link':
    case 'image':
      return [linkOf(token as Tokens.Link)];
    default:
      return [{ kind: 'text', text: token.raw }];
  }
}

/** An image becomes a link, so that nothing is loaded without a click. A link with another scheme stays text. */
function linkOf({ href, raw, text, tokens }: Tokens.Link): MarkdownInline {
  const url = URL.parse(href);
  const isSafe = url !== null && /^(https?|mailto):$/.test(url.protocol) && url.username === '' && url.password === '';
  const linkText = tokens === undefined ? text : plainText(inlinesOf({ tokens }));
  return isSafe ? { kind: 'link', address: url.href, text: linkText } : { kind: 'text', text: raw };
}

const plainText = (inlines: readonly MarkdownInline[]): string =>
  inlines
    .map((inline) => ('text' in inline ? inline.text : 'content' in inline ? plainText(inline.content) : ' '))
    .join('');

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: '\u00a0' };

/** The lexer does not decode character references. */
const asText = (text: string): MarkdownInline => ({
  kind: 'text',
  text: text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name] ?? ''),
});
