/**
 * The site: the pages of `pages.ts`, where they lie in the repository. A link that leads nowhere fails the build, and the browser itself
 * refuses whatever would be loaded from another host.
 */
import { readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { defineConfig, type Plugin } from "vitepress"
import { addressOf, anchorOf, pages, placeOf, root } from "../links.ts"
import { parts } from "../pages.ts"

const policy =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"

const icon = readFileSync(join(root, "src/dashboard/icon.svg"), "utf8")

/** The pages lie above the folder that has the generator's packages. */
const packagesOfSite: Plugin = {
  name: "packages-of-site",
  enforce: "pre",
  resolveId(id, importer, options) {
    if (!/^vue(?:\/|$)/.test(id)) return undefined
    if (options.ssr) return { id, external: true }
    return importer?.endsWith(".md")
      ? this.resolve(id, join(root, "site/package.json"), { ...options, skipSelf: true })
      : undefined
  }
}

export default defineConfig({
  title: "limitbot",
  description: "A bot that rests limit orders, with every unit of money accounted for",
  lang: "en",
  srcDir: root,
  outDir: "dist",
  srcExclude: ["!(docs|site)/**/*.md", "AGENTS.md", "site/{dist,node_modules}/**", "site/library/README.md"],
  rewrites: {
    ...Object.fromEntries(pages.map((page) => [page, placeOf(page)])),
    "site/files/:path*": "files/:path*",
    "site/library/limitbot/:page": "library/:page"
  },
  head: [
    ["meta", { "http-equiv": "Content-Security-Policy", content: policy }],
    ["link", { rel: "icon", href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]
  ],
  // The index of the search is one large file, which is loaded when somebody searches.
  vite: { plugins: [packagesOfSite], build: { chunkSizeWarningLimit: 2_000 } },
  markdown: {
    // Addresses in prose are examples; what is a link says so.
    linkify: false,
    anchor: { slugify: anchorOf },
    config: (md) => {
      md.core.ruler.push("addresses", ({ env, tokens }) => {
        const page = posix.relative(root, env.realPath ?? env.path)
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const link = token.type === "link_open" ? token.attrGet("href") : null
          if (link !== null && pages.includes(page)) token.attrSet("href", addressOf(page, link))
        }
      })
      // Blocks that are only indented are shown as those with a fence are, with a bar to scroll by.
      md.core.ruler.push("blocks", ({ tokens }) => {
        for (const token of tokens)
          if (token.type === "code_block") Object.assign(token, { type: "fence", info: "text" })
      })
    }
  },
  themeConfig: {
    outline: [2, 3],
    search: { provider: "local" },
    sidebar: parts.map(({ pages, text }) => ({
      text,
      items: pages.map(([file, text]) => ({ text, link: addressOf("README.md", file) }))
    }))
  }
})
