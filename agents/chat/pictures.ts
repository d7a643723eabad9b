/** The pictures of a chat task in its messages: each is shown with the first call of a step, and again when the model asks for it. */

import type { ModelMessage } from 'ai';
import type { Picture, Workspace } from './workspace.ts';

/** What shows pictures in messages, with the tool's part of it. */
export type PictureShow = {
  /** The parts of the first message. */
  parts(): UserPart[];
  /** Puts a picture into the next call; false if there is none. */
  request(file: number, page: number | undefined): boolean;
  /** The messages of a later call: pictures that were shown are named, those that were requested are shown. */
  laterMessages(messages: readonly ModelMessage[]): ModelMessage[];
};

export function pictureShow({ files }: Pick<Workspace, 'files'>): PictureShow {
  const pictures = files.flatMap(({ pictures: filePictures = [] }, at) =>
    filePictures.map((picture): NumberedPicture => ({ ...picture, file: at + 1 })),
  );
  let requested: NumberedPicture[] = [];
  return {
    parts: () => pictures.flatMap(shownPicture),
    request(file, page) {
      const matches = pictures.filter(
        (picture) => picture.file === file && (page === undefined || picture.page === page),
      );
      requested = [...new Set([...requested, ...matches])];
      return matches.length > 0;
    },
    laterMessages(messages) {
      const content = requested.flatMap(shownPicture);
      requested = [];
      const later = messages.map(withoutPictures);
      return content.length > 0 ? [...later, { role: 'user', content }] : later;
    },
  };
}

type NumberedPicture = Picture & { file: number };
type UserPart = Exclude<Extract<ModelMessage, { role: 'user' }>['content'], string>[number];

const textPart = (text: string) => ({ type: 'text', text }) as const;

const WAS_SHOWN = textPart('(It was shown with the first call; show_picture shows it again.)');

/**
 * Images go into messages of the user, because tool results cannot carry images in OpenAI's protocol. They are referred to by
 * number, as file names are untrusted text.
 */
const shownPicture = ({ file, page, mimeType: mediaType, bytes: data }: NumberedPicture): UserPart[] => [
  textPart(`Picture of ${page === undefined ? '' : `page ${page} of `}file ${file}:`),
  { type: 'file', mediaType, data },
];

const withoutPictures = (message: ModelMessage): ModelMessage =>
  message.role === 'user' && typeof message.content !== 'string'
    ? { ...message, content: message.content.map((part) => (part.type === 'text' ? part : WAS_SHOWN)) }
    : message;
