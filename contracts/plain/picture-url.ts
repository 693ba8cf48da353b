/** One's own picture: where it is, by the hash of what it shows, and how large a file is taken. */
export const PICTURE_PATH = '/api/user/picture';
export const PICTURE_BYTES = 2 * 1024 * 1024;
export const pictureUrl = (hash: string): string => `${PICTURE_PATH}/${hash}`;
