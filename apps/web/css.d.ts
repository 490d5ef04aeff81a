declare module '*.css';

/** The address of a module that is built as one classic script. */
declare module '*?worker&url' {
  const address: string;
  export default address;
}
