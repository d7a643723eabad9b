/** One Markdown page of the documentation as HTML, with its headings, its sections for the search, and links that work in the site. */
import { posix } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../../shared/core/console-page.ts';

type Heading = { depth: number; text: string; id: string };
/** `keywords`: what a comment `<!-- search: ... -->` below the heading says. `blocks`: its texts, as the search shows them. */
type Section = { heading: string; id: string; keywords: string; blocks: string[] };
export type RenderedPage = { title: string; html: string; headings: Heading[]; sections: Section[] };

/** `file`: the path of the page in the repository. `urlOf`: the URL of another file in the site, undefined if it is not in it. */
export function renderPage(
  markdown: string,
  file: string,
  urlOf: (target: string) => string | undefined,
): RenderedPage {
  const headings: Heading[] = [];
  const sections: Section[] = [{ heading: '', id: '', keywords: '', blocks: [] }];
  const ids = new Map<string, number>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        const heading = { depth, text: plain(text), id: anchorOf(plain(text), ids) };
        headings.push(heading);
        return `<h${depth} id="${heading.id}">${this.parser.parseInline(tokens)} <a class="anchor" href="#${heading.id}" aria-label="Link to this section">#</a></h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const text = this.parser.parseInline(tokens);
        const url = linkUrl(href, file, urlOf);
        return url === undefined ? text : `<a href="${escapeHtml(url)}">${text}</a>`;
      },
      image({ href, text }: Tokens.Image) {
        return `<img src="${escapeHtml(linkUrl(href, file, urlOf) ?? href)}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      code({ text, lang = '' }: Tokens.Code) {
        const language = /^\w+/.exec(lang)?.[0] ?? '';
        return `<pre data-language="${language}" tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
      },
      html({ text }: Tokens.HTML | Tokens.Tag) {
        return text.replaceAll(COMMENT, '');
      },
      table(token: Tokens.Table) {
        const cells = (row: Tokens.TableCell[], tag: string) =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('');
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
        return `<div class="table" tabindex="0"><table><thead><tr>${cells(token.header, 'th')}</tr></thead><tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  for (const token of marked.lexer(markdown)) {
    const last = sections.at(-1);
    if (token.type === 'heading') {
      const heading = headings[sections.length - 1];
      sections.push({ heading: heading?.text ?? plain(token.text), id: heading?.id ?? '', keywords: '', blocks: [] });
    } else if (last) {
      last.keywords += KEYWORDS.exec(token.raw)?.[1] ?? '';
      last.blocks.push(...blocksOf(token).filter(Boolean));
    }
  }
  return { title: headings[0]?.text ?? file, html, headings, sections: sections.filter(({ id }) => id !== '') };
}

const COMMENT = /<!--.*?-->/gs;
const KEYWORDS = /^<!-- search: (.*?) -->/s;

/** The texts that the search shows one of: paragraphs, list items, rows of tables, lines of code. */
function blocksOf(token: Token): string[] {
  if (token.type === 'list') return (token as Tokens.List).items.map(({ text }) => plain(text));
  if (token.type === 'code') return (token as Tokens.Code).text.split('\n').map(oneSpaced);
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].map((row) =>
      row
        .map(({ text }) => plain(text))
        .filter(Boolean)
        .join(' · '),
    );
  }
  return [plain(token.raw.replaceAll(COMMENT, ''))];
}

/** The text of a line of Markdown without its marks. */
const plain = (text: string): string =>
  oneSpaced(
    text
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[`*]+/g, '')
      .replaceAll(/<[^>]+>|[|#>]+/g, ' '),
  );

const oneSpaced = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** The anchor that GitHub gives to the heading, so that links work in both places. */
function anchorOf(text: string, counts: Map<string, number>): string {
  const slug = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
  const count = counts.get(slug) ?? 0;
  counts.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

function linkUrl(href: string, file: string, urlOf: (target: string) => string | undefined): string | undefined {
  if (/^([a-z]+:|#|\/)/i.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const url = urlOf(posix.normalize(posix.join(posix.dirname(file), path)));
  return url === undefined || anchor === undefined ? url : `${url}#${anchor}`;
}
