/** The pictures among a task's files that are handed to a model which sees, within what the providers take at once. */
import { describeImage, type ImageDescription } from '../../documents/image/describe-image.ts';

export type Picture = { mimeType: ImageDescription['mimeType']; bytes: Uint8Array };

/** A call says all of them again, as it does everything else. Bedrock's bounds for one picture, which are the narrowest. */
export const PICTURE_LIMITS = { pictures: 10, pictureBytes: 3_750_000, allBytes: 10_000_000, side: 8_000 } as const;

/** Takes one file after the other; nothing for what is no picture, too large, or one too many. */
export function pictureTaker(): (bytes: Uint8Array) => Picture | undefined {
  let taken = 0;
  let length = 0;
  return (bytes) => {
    const isMore = taken === PICTURE_LIMITS.pictures || length + bytes.length > PICTURE_LIMITS.allBytes;
    if (isMore || bytes.length > PICTURE_LIMITS.pictureBytes) return undefined;
    const image = describeImage(bytes);
    if (!image || Math.max(image.width, image.height) > PICTURE_LIMITS.side) return undefined;
    taken++;
    length += bytes.length;
    return { mimeType: image.mimeType, bytes };
  };
}
