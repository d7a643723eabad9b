/** Which encoding the bytes of an RTF are in: by its head, or by the character set of the font in use. */

const BY_CHARSET: Record<number, string> = {
  77: 'macintosh',
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gbk',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
};

const BY_PAGE: Record<number, string> = {
  866: 'ibm866',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  65001: 'utf-8',
};

/** The common sets say nothing: then the document's own page holds. */
export const encodingOfCharset = (charset: number): string | undefined => BY_CHARSET[charset];

export const encodingOfPage = (page: number): string => BY_PAGE[page] ?? `windows-${page}`;
