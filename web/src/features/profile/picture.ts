/** The calls about one's own picture, and making a photo small enough to be sent. */
import { PICTURE_PATH } from '#contracts/plain/picture-url';
import { api } from '../../shared/api/api.js';

/** What the choice of a file offers. A phone gives its own kind as one of these. */
export const PICTURE_KINDS = 'image/jpeg,image/png,image/webp';
const SIDE = 768;

/** The browser cannot show the file. The message is for people. */
export class NotShown extends Error {
  override readonly name = 'NotShown';
}

const pictures = api.injectEndpoints({
  endpoints: (build) => ({
    putPicture: build.mutation<unknown, Blob>({
      query: (body) => ({ path: PICTURE_PATH, method: 'PUT', body }),
      invalidatesTags: ['User'],
    }),
    removePicture: build.mutation<unknown, void>({
      query: () => ({ path: PICTURE_PATH, method: 'DELETE' }),
      invalidatesTags: ['User'],
    }),
  }),
});

export const { usePutPictureMutation, useRemovePictureMutation } = pictures;

/**
 * The middle of a photo as a JPEG of some hundred kilobytes: a phone's own is larger than is taken. Throws
 * {@link NotShown} for what is no picture to this browser.
 */
export async function shrunk(file: Blob): Promise<Blob> {
  const photo = await createImageBitmap(file).catch(() => {
    throw new NotShown('This file is no picture that can be shown. Choose another one.');
  });
  const side = Math.min(photo.width, photo.height);
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = Math.min(SIDE, side);
  const drawing = canvas.getContext('2d');
  if (drawing === null) throw new NotShown('This browser cannot make the picture smaller.');
  // What is transparent would be black.
  drawing.fillStyle = '#ffffff';
  drawing.fillRect(0, 0, canvas.width, canvas.height);
  const [left, top] = [(photo.width - side) / 2, (photo.height - side) / 2];
  drawing.drawImage(photo, left, top, side, side, 0, 0, canvas.width, canvas.height);
  photo.close();
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (made) => (made ? resolve(made) : reject(new NotShown('This picture cannot be made smaller.'))),
      'image/jpeg',
      0.9,
    ),
  );
}
