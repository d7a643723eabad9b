/** Markdown as elements, built one by one and never from HTML of others. */
import { useMemo } from 'preact/hooks';
import { Letters, Scroll } from '../ui/parts.tsx';
import { type MarkdownInline, type ParsedBlock, parse } from './parse.ts';

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
      // The page's own heading stands above.
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
