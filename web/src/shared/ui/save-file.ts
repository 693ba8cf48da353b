/** Downloads a file. */
export function saveFile(name: string, url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}

const KEPT_MS = 60_000;

/**
 * For `transformResponse` of a call that answers a file: its object URL. Null where nobody is signed in any
 * more.
 */
export const urlOf = (file: Blob | null): string | null => (file === null ? null : URL.createObjectURL(file));

/**
 * Downloads what {@link urlOf} made. It is given back later: Safari reads the file after the click has ended.
 */
export function saveMade(name: string, url: string | null): void {
  if (url === null) return;
  saveFile(name, url);
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
