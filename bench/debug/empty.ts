// What Node.js needs to load a TypeScript file, before the library is loaded.
export {};
