import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** An export of the SDK, or a class that is reachable from one. */
export interface Declared {
  /** Its name, or the expression that reaches it from a client: `QueueApi`, `api.entries`. */
  readonly path: string;
  /** The name of the declaration. */
  readonly name: string;
  readonly kind: "class" | "function" | "type" | "value";
  /** The declaration without comments; for a class its constructor only. Empty if there is none. */
  readonly signature: string;
  readonly comment: Comment;
  /** The members of a class or an interface. */
  readonly members: readonly Member[];
  /** The names of the classes that it extends, nearest first. */
  readonly ancestors: readonly string[];
}

export interface Member {
  readonly name: string;
  readonly kind: "method" | "property";
  readonly signature: string;
  readonly comment: Comment;
}

/** The content of a doc comment. */
export interface Comment {
  /** Markdown. */
  readonly text: string;
  readonly throws: readonly string[];
  readonly examples: readonly string[];
}

/** The declarations of one module of the SDK, with its name: `@queue-api/sdk`, `@queue-api/sdk/opentelemetry`. */
export interface DeclaredModule {
  readonly name: string;
  readonly declared: readonly Declared[];
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<
    Record<string, string | { readonly import: { readonly types: string } }>
  >;
}

/** Reads the declarations from the build of the SDK: one module for each entry of its `exports`. */
export function sdkModules(folder: URL): DeclaredModule[] {
  const manifest = JSON.parse(readFileSync(new URL("package.json", folder), "utf8")) as Manifest;
  const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
    typeof target === "string"
      ? []
      : [
          {
            name: manifest.name + path.slice(1),
            file: fileURLToPath(new URL(target.import.types, folder)),
          },
        ],
  );
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      noLib: true, // built-in types are shown by name only
      types: [],
      skipLibCheck: true,
    },
  );
  const reader = new Reader(program.getTypeChecker(), fileURLToPath(folder));
  return entries.map(({ name, file }) => ({
    name,
    declared: reader.exportsOf(program.getSourceFile(file)),
  }));
}

class Reader {
  readonly #checker: ts.TypeChecker;
  readonly #folder: string;

  constructor(checker: ts.TypeChecker, folder: string) {
    this.#checker = checker;
    this.#folder = folder;
  }

  /** The exports of a file, followed by the classes that are properties of its classes. */
  exportsOf(file: ts.SourceFile | undefined): Declared[] {
    const module = file && this.#checker.getSymbolAtLocation(file);
    if (!module) throw new Error("a module of the SDK has no declarations: build it first");
    const found = this.#checker
      .getExportsOfModule(module)
      .map((symbol) =>
        symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol,
      );
    const held = found
      .flatMap((symbol) => this.#membersOf(symbol))
      .flatMap((member) => {
        const symbol = this.#heldClass(member);
        return symbol ? [{ symbol, path: `api.${member.name}` }] : [];
      });
    // A class that a client holds is shown once, as callers reach it.
    const reached = new Set(held.map(({ symbol }) => symbol));
    const others = found.filter((symbol) => !reached.has(symbol));
    return [...others.map((symbol) => ({ symbol, path: symbol.name })), ...held].map(
      ({ symbol, path }) => this.#declared(symbol, path),
    );
  }

  #declared(symbol: ts.Symbol, path: string): Declared {
    const node = declarationOf(symbol);
    return {
      path,
      name: symbol.name,
      kind: kindOf(node),
      signature: ts.isClassDeclaration(node) ? constructorOf(node) : textOf(node),
      comment: this.#commentOf(symbol),
      members: this.#membersOf(symbol).map((member) => this.#member(member)),
      ancestors: ts.isClassDeclaration(node) ? this.#ancestorsOf(node) : [],
    };
  }

  #ancestorsOf(node: ts.ClassDeclaration): string[] {
    const [parent] =
      node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)?.types ??
      [];
    if (!parent) return [];
    const symbol = this.#checker.getTypeAtLocation(parent.expression).getSymbol();
    const above = symbol?.valueDeclaration;
    const name = parent.expression.getText();
    return [name, ...(above && ts.isClassDeclaration(above) ? this.#ancestorsOf(above) : [])];
  }

  /** The public members, in declaration order. */
  #membersOf(symbol: ts.Symbol): ts.Symbol[] {
    const node = declarationOf(symbol);
    if (!ts.isClassDeclaration(node) && !ts.isInterfaceDeclaration(node)) return [];
    return [...(symbol.members?.values() ?? [])].filter((member) => {
      const { valueDeclaration: declared } = member;
      return (
        declared !== undefined &&
        !ts.isConstructorDeclaration(declared) &&
        !(
          declared &&
          ts.isPropertyDeclaration(declared) &&
          ts.isPrivateIdentifier(declared.name)
        ) &&
        !member.name.startsWith("__") &&
        !(
          ts.getCombinedModifierFlags(declared) &
          (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)
        ) &&
        !member.getJsDocTags().some(({ name }) => name === "internal")
      );
    });
  }

  #member(symbol: ts.Symbol): Member {
    const node = declarationOf(symbol);
    return {
      name: symbol.name,
      kind: ts.isMethodDeclaration(node) || ts.isMethodSignature(node) ? "method" : "property",
      signature: textOf(node),
      comment: this.#commentOf(symbol),
    };
  }

  /** The SDK class that is the type of a property. */
  #heldClass(symbol: ts.Symbol): ts.Symbol | null {
    const { valueDeclaration: node } = symbol;
    if (!node || !ts.isPropertyDeclaration(node)) return null;
    const held = this.#checker.getTypeOfSymbol(symbol).getSymbol();
    const file = held?.valueDeclaration?.getSourceFile().fileName;
    const isOwn = file?.startsWith(this.#folder) && ts.isClassDeclaration(declarationOf(held));
    return isOwn && held ? held : null;
  }

  #commentOf(symbol: ts.Symbol): Comment {
    const tags = symbol.getJsDocTags(this.#checker);
    const textsOf = (wanted: string) =>
      tags.filter(({ name }) => name === wanted).map(({ text }) => joinedText(text));
    return {
      text: joinedText(symbol.getDocumentationComment(this.#checker)),
      throws: textsOf("throws"),
      examples: textsOf("example").map((text) => text.replace(/^```\w*\n|\n```$/g, "")),
    };
  }
}

/** A comment as Markdown. Its links become code. */
function joinedText(parts: readonly ts.SymbolDisplayPart[] = []): string {
  return ts
    .displayPartsToString([...parts])
    .replaceAll(/\{@link\s+([^}|\s]+)[^}]*\}/g, "`$1`")
    .trim();
}

function declarationOf(symbol: ts.Symbol | undefined): ts.Declaration {
  const node = symbol?.valueDeclaration ?? symbol?.declarations?.[0];
  if (!node) throw new Error(`${symbol?.name} is not declared`);
  return node;
}

function kindOf(node: ts.Declaration): Declared["kind"] {
  if (ts.isClassDeclaration(node)) return "class";
  if (ts.isFunctionDeclaration(node)) return "function";
  return ts.isVariableDeclaration(node) ? "value" : "type";
}

/** `new Name(…)` for a class with a public constructor. */
function constructorOf(node: ts.ClassDeclaration): string {
  const made = node.members.find(ts.isConstructorDeclaration);
  if (!made || ts.getJSDocTags(made).some(({ tagName }) => tagName.text === "internal")) return "";
  const parameters = made.parameters.map((parameter) => parameter.getText()).join(", ");
  return `new ${node.name?.text}(${parameters})`;
}

/** The source of a declaration, without comments and compiler-only parts. */
function textOf(node: ts.Declaration): string {
  const whole = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  return whole
    .getText()
    .replaceAll(/\/\*\*[\s\S]*?\*\/\s*/g, "")
    .replace(/^export (declare )?/, "")
    .replaceAll(/^ {4}/gm, "  ")
    .trim();
}
