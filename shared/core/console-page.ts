/** The URLs, content policy and HTML escaping of the console's page. */

/** The paths of the page and of its files, which no route uses. */
export const CONSOLE_PAGE = '/';
export const CONSOLE_FOLDER = '/assets/';

/** The path of the documentation. */
export const DOCS_FOLDER = '/docs/';

/** The placeholder for the configuration in the built page. */
export const CONSOLE_CONFIG = '{{config}}';

/** The configuration of the page, as JSON in an attribute. */
export type ConsoleConfig = { filesUrl: string; agentsUrl: string; wsUrl: string };

/** The Content-Security-Policy: only the console's own files, calls of the APIs, and reports in sandboxed frames. */
export const consolePolicy = (connects: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ${["'self'", ...connects].join(' ')}`,
    "img-src 'self' data: blob:",
    "frame-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** The Content-Security-Policy of the documentation: only its own files. */
export const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Escapes text for HTML elements and attributes in double quotes. */
const SIGNS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] ?? '');
