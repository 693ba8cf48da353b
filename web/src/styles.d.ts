/** Style sheets are imported for what they do. */
declare module '*.css';
/** The address of a file that the build gives a name. */
declare module '*?url' {
  const address: string;
  export default address;
}
