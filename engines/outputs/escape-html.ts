/** Escapes text of HTML and XML, and makes pages inactive that a model wrote. */
import { escapeHtml } from '../../shared/core/console-page.ts';
import { withoutInvisible } from './invisible-characters.ts';

export const toHtmlText = (text: string): string => escapeHtml(withoutInvisible(text));

/** Escapes text of an XML part, for instance a string cell of a workbook. Such a cell is never a formula. */
export const toXmlText = (text: string): string =>
  withoutInvisible(text).replaceAll(/[&<>"]/g, (sign) => XML_ENTITIES[sign] ?? sign);
const XML_ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const NO_ACTIVE_CONTENT =
  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'\">";

const INACTIVE_START = `<!doctype html>\n${NO_ACTIVE_CONTENT}\n`;
const DOCTYPE = /^\ufeff?\s*<!doctype[^>]*>\s*/i;

/**
 * Neutralizes an HTML page that a model wrote: this policy comes first, so the page runs no script and loads nothing.
 */
export const toInactiveHtml = (page: string): string =>
  page.startsWith(INACTIVE_START) ? page : INACTIVE_START + page.replace(DOCTYPE, '');
