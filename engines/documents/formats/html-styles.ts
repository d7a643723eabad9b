/** What a page shows, by its style attributes and by the rules of its style sheets for one class or id. */

type Style = Map<string, string>;
const STYLES = new Set(
  'display visibility text-indent left top clip clip-path color background background-color font-size position'.split(
    ' ',
  ),
);
/** Longer style sheets than this are cut. */
const MAX_CSS = 500_000;

const styleOf = (declarations: string): Style =>
  new Map(
    declarations.split(';').flatMap((declaration) => {
      const at = declaration.indexOf(':');
      const name = declaration.slice(0, at).trim().toLowerCase();
      const value = declaration.slice(at + 1).replace('!important', '');
      return at > 0 && STYLES.has(name) ? [[name, value.trim().toLowerCase()]] : [];
    }),
  );

/** Also what is moved out of the page or cut to nothing. Pages fade texts in, so `opacity: 0` says too little. */
const isGone = (style: Style): boolean =>
  style.get('display') === 'none' ||
  style.get('visibility') === 'hidden' ||
  ['text-indent', 'left', 'top'].some((name) => /^-\d{3,5}(?:px|em|rem|%)/.test(style.get(name) ?? '')) ||
  /^rect\(0[, ]/.test(style.get('clip') ?? '') ||
  /^inset\((?:50|100)%/.test(style.get('clip-path') ?? '');

type StyleSheet = {
  rules: Map<string, Style>;
  /** Names of classes and ids that another rule shows, as it does with the open one of several tabs. */
  shownNames: Set<string>;
  /** A rule that is not understood here may color what stands behind a text. */
  mayColor: boolean;
};

type Rule = { selector: string; style: Style; isNested: boolean };

/** The rules of a style sheet; those within `@media` and the like are nested. */
function* rulesIn(text: string): Generator<Rule> {
  const [first = '', ...pieces] = text.split('/*');
  const css = [first, ...pieces.map((piece) => piece.split('*/').slice(1).join('*/'))].join(' ');
  const open: string[] = [];
  let before = '';
  for (const [piece] of css.matchAll(/[^{}]+|[{}]/g)) {
    if (piece === '{') open.push(before.slice(before.lastIndexOf(';') + 1).trim());
    else if (piece === '}') {
      const selector = open.pop() ?? '@';
      if (!selector.startsWith('@')) yield { selector, style: styleOf(before), isNested: open.length > 0 };
    }
    before = piece.length > 1 || !/[{}]/.test(piece) ? piece : '';
  }
}

const isSet = (style: Style, ...names: string[]): boolean => names.some((name) => style.has(name));

function addRules(sheet: StyleSheet, css: string): void {
  for (const { selector, style, isNested } of rulesIn(css)) {
    const names = isSet(style, 'display', 'visibility') && !isGone(style) ? selector.matchAll(/[.#][\w-]+/g) : [];
    for (const [name] of names) sheet.shownNames.add(name);
    const [simpleSelectors = [], otherSelectors = []] = [true, false].map((isOwn) =>
      selector.split(',').filter((part) => isOwn === (!isNested && /^[.#][\w-]+$/.test(part.trim()))),
    );
    for (const simpleSelector of simpleSelectors.map((name) => name.trim()))
      sheet.rules.set(simpleSelector, new Map([...(sheet.rules.get(simpleSelector) ?? []), ...style]));
    sheet.mayColor ||= otherSelectors.length > 0 && isSet(style, 'background', 'background-color');
  }
}

/** Colors are compared as red, green and blue. */
function colorOf(text: string | undefined): number[] | undefined {
  const colorText = { white: '#ffffff', black: '#000000' }[text ?? ''] ?? text ?? '';
  const [, hex] = /^#([\da-f]{3}|[\da-f]{6})$/.exec(colorText) ?? [];
  if (hex)
    return (hex.match(hex.length === 3 ? /./g : /../g) ?? []).map((digits) =>
      Number.parseInt(digits.padEnd(2, digits), 16),
    );
  const [, ...channels] = /^rgb\((\d{1,3}), ?(\d{1,3}), ?(\d{1,3})\)$/.exec(colorText) ?? [];
  return channels.length === 3 ? channels.map(Number) : undefined;
}
const SAME_COLOR = 16;

/** In points, as a person cannot read smaller text, and the same in pixels. */
const TINY: Record<string, number> = { pt: 3, px: 4 };

function isTiny(size: string | undefined, inherited: boolean): boolean {
  const [, number = '', unit = ''] = /^(\d*\.?\d+)([a-z%]*)$/.exec(size ?? '') ?? [];
  if (size === undefined) return inherited;
  if (number !== '' && Number(number) === 0) return true;
  return unit === 'em' || unit === '%' ? inherited : number !== '' && Number(number) < (TINY[unit] ?? 0);
}

/** How texts of an element look. A color that is not known is undefined. */
type Look = {
  name: string;
  isGone: boolean;
  isTiny: boolean;
  color: number[] | undefined;
  behind: number[] | undefined;
};

/** Follows the elements of a page, and tells what of it a person sees. */
type PageLooks = {
  /** Returns false for an element of which nothing is shown. */
  open(name: string, attributes: Record<string, string>): boolean;
  /** Returns whether this text is shown. */
  text(piece: string): boolean;
  close(): void;
};

const NOTHING: Look = { name: '', isGone: false, isTiny: false, color: undefined, behind: colorOf('white') };
/** Scripts may show the whole page when it is loaded. */
const FRAME = new Set(['html', 'head', 'body']);
/** Style sheets in these are for other readers. */
const NOT_FOR_SCREENS = new Set(['noscript', 'template', 'svg']);

export function pageLooks(): PageLooks {
  const looks = [NOTHING];
  const sheet: StyleSheet = { rules: new Map(), shownNames: new Set(), mayColor: false };
  let css = '';

  return {
    open(name, attributes) {
      if (name === 'link' && /stylesheet/i.test(attributes.rel ?? '')) sheet.mayColor = true;
      const above = { ...(looks.at(-1) ?? NOTHING) };
      if (sheet.mayColor) above.behind = undefined;
      const look = lookOf(name, { attributes, style: styleAt(attributes, sheet), above });
      looks.push(look);
      return !look.isGone;
    },
    text(piece) {
      const { name, color, behind, ...look } = looks.at(-1) ?? NOTHING;
      if (name === 'style' && css.length < MAX_CSS) css += piece;
      if (look.isGone || look.isTiny) return false;
      return !color || !behind || color.some((channel, at) => Math.abs(channel - (behind[at] ?? 0)) >= SAME_COLOR);
    },
    close() {
      if (looks.pop()?.name !== 'style') return;
      if (!looks.some(({ name }) => NOT_FOR_SCREENS.has(name))) addRules(sheet, css);
      css = '';
    },
  };
}

/** The style of an element: that of its classes and its id, then its own. */
function styleAt({ id, class: classes = '', style = '' }: Record<string, string>, sheet: StyleSheet): Style {
  const names = [...classes.split(/\s+/).map((name) => `.${name}`), ...(id === undefined ? [] : [`#${id}`])];
  const isMeant = (selector: string, name: string) =>
    !(sheet.shownNames.has(selector) && (name === 'display' || name === 'visibility'));
  const declarations = names.flatMap((selector) =>
    [...(sheet.rules.get(selector) ?? [])].filter(([name]) => isMeant(selector, name)),
  );
  return new Map([...declarations, ...styleOf(style)]);
}

type Placed = { attributes: Record<string, string>; style: Style; above: Look };

function lookOf(name: string, { attributes, style, above }: Placed): Look {
  const isUnseen = !FRAME.has(name) && (attributes.hidden !== undefined || isGone(style));
  return {
    name,
    isGone: above.isGone || isUnseen,
    isTiny: isTiny(style.get('font-size'), above.isTiny),
    color: colorAt(style.get('color') ?? (name === 'font' ? attributes.color : undefined), above.color),
    behind: colorBehind(style, attributes.bgcolor, above.behind),
  };
}

const colorAt = (value: string | undefined, above: Look['color']): Look['color'] =>
  value === undefined || value === 'inherit' ? above : colorOf(value.toLowerCase());

function colorBehind(style: Style, attribute: string | undefined, above: Look['behind']): Look['behind'] {
  const value = style.get('background-color') ?? style.get('background') ?? attribute?.toLowerCase();
  if (value !== undefined && !/^(?:none|transparent|inherit)$/.test(value)) return colorOf(value);
  // Behind a text that is moved, anything may be drawn.
  return /^(?:absolute|fixed)/.test(style.get('position') ?? '') ? undefined : above;
}
