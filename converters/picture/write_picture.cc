#include "nadi/converters/picture/write_picture.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/graphml.hpp>
#include <boost/graph/graphviz.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>

#include "nadi/base/compression.h"
#include "nadi/base/error.h"
#include "nadi/base/utf8.h"
#include "nadi/emit/atomic_file.h"

extern char** environ;

namespace nadi {
namespace {

// Lays a DOT graph out with Graphviz.

namespace fs = std::filesystem;

constexpr const char* kProgram = "dot";

constexpr const char* kInstall = "Install graphviz, or write .dot and lay it out elsewhere";

/// A folder that goes away.
class Workplace {
 public:
  Workplace() {
    std::string pattern = (fs::temp_directory_path() / "nadi_picture_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw Error(ErrorCode::kInput, pattern,
                  std::string("cannot be made (") + std::strerror(errno) + ")",
                  "Set TMPDIR to a folder that can be written");
    path_ = pattern;
  }
  ~Workplace() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs `dot -TFORMAT -o OUT IN`, its complaints into a file; gives its exit status.
int run_dot(const std::string& format, const fs::path& in, const fs::path& out,
            const fs::path& complaints) {
  std::string words[] = {kProgram, "-T" + format, "-o", out.string(), in.string()};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(),
                       words[3].data(), words[4].data(), nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, complaints.c_str(),
                                     O_WRONLY | O_CREAT, 0600);
  // What interrupts this process ends the child, whoever watches for it here.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, kProgram, &actions, &attributes, arguments, environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw Error(ErrorCode::kInput, "dot",
                std::string("cannot be run (") + std::strerror(error) + ")", kInstall);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// Bytes that the program `dot` draws; format: "svg" or "pdf". Throws Error(kInput) where the
/// program is missing or fails, with what it said.
std::string draw_with_graphviz(std::string_view dot, const std::string& format) {
  const Workplace workplace;
  write_file(workplace / "in.dot", dot);
  const int status =
      run_dot(format, workplace / "in.dot", workplace / "out", workplace / "complaints");
  if (status != 0) {
    constexpr std::size_t kMostShown = 200;
    throw Error(ErrorCode::kInput, "dot",
                "failed: " + bytes_of(workplace / "complaints").substr(0, kMostShown), kInstall);
  }
  return bytes_of(workplace / "out");
}

/// Text that DOT, XML and their readers take: UTF-8 without control bytes but line breaks.
std::string clean(std::string_view text) {
  std::string cleaned = repair_utf8(text);
  for (char& c : cleaned)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n') c = ' ';
  return cleaned;
}

/// In quotes; line breaks as DOT writes them, backslashes as they are.
std::string dot_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : clean(text)) {
    if (c == '\n')
      quoted += "\\n";
    else if (c == '"' || c == '\\')
      (quoted += '\\') += c;
    else
      quoted += c;
  }
  return quoted + "\"";
}

constexpr std::string_view kFolded = "folded";

/// The picture as Boost.Graph's writers want it: every property of a type they know.
struct NodeProperties {
  std::string id, label, lane, kind;
  unsigned long count = 0;
  long start_ns = 0, duration_ns = 0, delay_ns = 0;
  PictureKind picture_kind = PictureKind::kHost;
  bool is_folded = false;
};
struct EdgeProperties {
  std::string evidence;
  bool is_ctrl = false, inferred = false;
  unsigned long count = 0;
  long delay_ns = 0;
  Evidence reason = Evidence::kThreadOrder;
};
using BoostGraph =
    boost::compressed_sparse_row_graph<boost::directedS, NodeProperties, EdgeProperties>;

BoostGraph boost_graph(const Picture& picture) {
  std::vector<std::pair<std::size_t, std::size_t>> ends;
  std::vector<EdgeProperties> edges;
  ends.reserve(picture.edges.size());
  edges.reserve(picture.edges.size());
  for (const PictureEdge& edge : picture.edges) {
    ends.emplace_back(edge.source, edge.target);
    edges.push_back({std::string(to_string(edge.evidence)), edge.evidence == Evidence::kNesting,
                     edge.inferred, edge.count, edge.delay_ns, edge.evidence});
  }
  BoostGraph graph(boost::edges_are_sorted, ends.begin(), ends.end(), edges.begin(),
                   picture.nodes.size());
  for (std::size_t i = 0; i < picture.nodes.size(); ++i) {
    const PictureNode& node = picture.nodes[i];
    graph[i] = {node.id,          clean(node.label),
                clean(node.lane), std::string(node.is_folded ? kFolded : to_string(node.kind)),
                node.count,       node.start_ns,
                node.duration_ns, node.delay_ns,
                node.kind,        node.is_folded};
  }
  return graph;
}

/// Colours of ColorBrewer's Set2 and Dark2 (colorbrewer2.org), which colour-blind people tell
/// apart.
const char* fill_of(PictureKind kind) {
  constexpr const char* kColours[kPictureKindCount] = {"#8da0cb", "#b3b3b3", "#66c2a5",
                                                       "#ffd92f", "#fc8d62", "#ffffff"};
  return kColours[static_cast<std::size_t>(kind)];
}
const char* shape_of(PictureKind kind) {
  constexpr const char* kShapes[kPictureKindCount] = {"box",     "box",     "ellipse",
                                                      "ellipse", "hexagon", "plaintext"};
  return kShapes[static_cast<std::size_t>(kind)];
}
/// The shape for people.
std::string_view shape_text(PictureKind kind) {
  const std::string_view shape = shape_of(kind);
  return shape == "plaintext" ? "no frame" : shape;
}
const char* colour_of(Evidence evidence) {
  constexpr const char* kColours[kEvidenceCount] = {
      "#555555", "#8c8c8c", "#1b9e77", "#7570b3", "#1f78b4", "#08306b", "#d95f02",
      "#e7298a", "#66a61e", "#a6761d", "#b15928", "#b15928", "#e6ab02"};
  return kColours[static_cast<std::size_t>(evidence)];
}

/// Text of DOT's HTML-like labels.
std::string html(std::string_view text) {
  std::string escaped;
  for (const char c : clean(text)) {
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else
      escaped += c;
  }
  return escaped;
}

/// What the nodes of a kind are in this picture.
std::string legend_name(const Picture& picture, PictureKind kind) {
  if (picture.collapse == Collapse::kStream)
    return kind == PictureKind::kHost ? "thread" : "stream";
  return std::string(to_string(kind));
}

/// What the kinds of node there are look like.
std::string node_legend(const Picture& picture) {
  bool is_there[kPictureKindCount] = {}, has_fold = false;
  for (const PictureNode& node : picture.nodes)
    (node.is_folded ? has_fold : is_there[static_cast<std::size_t>(node.kind)]) = true;
  std::string cells;
  for (std::size_t i = 0; i < kPictureKindCount; ++i) {
    if (!is_there[i]) continue;
    const auto kind = static_cast<PictureKind>(i);
    cells += std::string("<TD BGCOLOR=\"") + fill_of(kind) + "\">" + legend_name(picture, kind) +
             " (" + std::string(shape_text(kind)) + ")</TD>";
  }
  if (has_fold) cells += "<TD BORDER=\"1\" STYLE=\"dashed\">… folded: took less time</TD>";
  if (cells.empty()) return "";
  return "<TR><TD ALIGN=\"LEFT\"><TABLE BORDER=\"0\" CELLSPACING=\"4\"><TR>" + cells +
         "</TR></TABLE></TD></TR>";
}

/// The kinds of evidence there are in their colours.
std::string edge_legend(const Picture& picture) {
  bool is_there[kEvidenceCount] = {}, has_guess = false;
  for (const PictureEdge& edge : picture.edges) {
    is_there[static_cast<std::size_t>(edge.evidence)] = true;
    has_guess |= edge.inferred;
  }
  std::string text;
  for (std::size_t i = 0; i < kEvidenceCount; ++i) {
    if (!is_there[i]) continue;
    const auto evidence = static_cast<Evidence>(i);
    text += std::string(text.empty() ? "" : "  ") + "<FONT COLOR=\"" + colour_of(evidence) + "\">" +
            std::string(to_string(evidence)) + "</FONT>" +
            (evidence == Evidence::kNesting ? "&#160;(dashed)" : "");
  }
  if (text.empty()) return "";
  return "<TR><TD ALIGN=\"LEFT\">" + text + (has_guess ? "  dotted: inferred" : "") + "</TD></TR>";
}

/// The title, and below it what shapes and colours mean.
std::string legend(const Picture& picture) {
  return "<<TABLE BORDER=\"0\"><TR><TD ALIGN=\"LEFT\">" + html(picture.title) + "</TD></TR>" +
         node_legend(picture) + edge_legend(picture) + "</TABLE>>";
}

/// Of an edge's line: dashed to what a call encloses, dotted where the edge is a guess.
const char* arrow_of(const EdgeProperties& edge) {
  if (edge.is_ctrl) return "tee, style=dashed";
  return edge.inferred ? "normal, style=dotted" : "normal";
}

/// How many edges it is of, or the time of the delays along it.
std::string edge_label(const EdgeProperties& edge) {
  if (edge.delay_ns > 0) return "delay " + picture_time_text(edge.delay_ns);
  return edge.count > 1 ? std::to_string(edge.count) : "";
}

/// "node 7, thread 1"; of several nodes in one, whose id ("g3", "f1") is the picture's alone, the
/// lane.
std::string node_tooltip(const NodeProperties& node) {
  return node.id.starts_with('g') || node.is_folded ? node.lane
                                                    : "node " + node.id + ", " + node.lane;
}

/// A path stands in columns, each from top to bottom, that a screen can show beside each other.
constexpr std::size_t kRowsOfColumn = 25;

bool is_next_column(const Picture& picture, std::size_t source, std::size_t target) {
  return picture.is_path && source / kRowsOfColumn != target / kRowsOfColumn;
}

/// The first nodes of the columns beside each other, in their order.
std::string columns_text(const BoostGraph& graph) {
  std::string text = "{ rank=same";
  for (std::size_t node = 0; node < num_vertices(graph); node += kRowsOfColumn)
    text += (node == 0 ? "; " : " -> ") + graph[node].id;
  return text + " [style=invis] }\n";
}

std::string dot_text(const Picture& picture) {
  const BoostGraph graph = boost_graph(picture);
  const auto write_node = [&](std::ostream& out, std::size_t v) {
    const NodeProperties& node = graph[v];
    out << "[label=" << dot_string(node.label);
    if (node.is_folded)
      out << ", shape=box, style=\"dashed\"";
    else
      out << ", shape=" << shape_of(node.picture_kind) << ", fillcolor=\""
          << fill_of(node.picture_kind) << "\"";
    out << ", group="
        << (picture.is_path ? std::to_string(v / kRowsOfColumn) : dot_string(node.lane))
        << ", tooltip=" << dot_string(node_tooltip(node)) << "]";
  };
  const auto write_edge = [&](std::ostream& out, const BoostGraph::edge_descriptor& e) {
    const EdgeProperties& edge = graph[e];
    out << "[color=\"" << colour_of(edge.reason) << "\", arrowhead=" << arrow_of(edge)
        << ", tooltip=\"" << edge.evidence << (edge.inferred ? " (inferred)" : "") << "\"";
    if (const std::string label = edge_label(edge); !label.empty())
      out << ", label=\"" << label << "\"";
    if (is_next_column(picture, source(e, graph), target(e, graph))) out << ", constraint=false";
    out << "]";
  };
  const auto write_settings = [&](std::ostream& out) {
    // Groups have many neighbours: they are drawn from top to bottom, and so are paths.
    const bool is_wide = picture.collapse == Collapse::kNone && !picture.is_path;
    out << "graph [label=" << legend(picture) << ", labelloc=t, labeljust=l"
        << ", rankdir=" << (is_wide ? "LR" : "TB") << (picture.is_path ? ", ranksep=0.3" : "")
        << ", fontname=\"sans-serif\"];\n"
        << "node [style=filled, fontname=\"sans-serif\", fontsize=10];\n"
        << "edge [fontname=\"sans-serif\", fontsize=8];\n";
  };
  std::ostringstream text;
  text.imbue(std::locale::classic());
  boost::write_graphviz(text, graph, write_node, write_edge, write_settings,
                        boost::get(&NodeProperties::id, graph));
  std::string dot = text.str();
  if (picture.is_path && picture.nodes.size() > kRowsOfColumn)
    dot.insert(dot.rfind('}'), columns_text(graph));
  return dot;
}

std::string graphml_text(const Picture& picture) {
  BoostGraph graph = boost_graph(picture);
  boost::dynamic_properties properties;
  properties.property("id", boost::get(&NodeProperties::id, graph));
  properties.property("label", boost::get(&NodeProperties::label, graph));
  properties.property("lane", boost::get(&NodeProperties::lane, graph));
  properties.property("kind", boost::get(&NodeProperties::kind, graph));
  properties.property("count", boost::get(&NodeProperties::count, graph));
  properties.property("start_ns", boost::get(&NodeProperties::start_ns, graph));
  properties.property("duration_ns", boost::get(&NodeProperties::duration_ns, graph));
  properties.property("evidence", boost::get(&EdgeProperties::evidence, graph));
  properties.property("is_ctrl", boost::get(&EdgeProperties::is_ctrl, graph));
  properties.property("inferred", boost::get(&EdgeProperties::inferred, graph));
  properties.property("edges", boost::get(&EdgeProperties::count, graph));
  properties.property("delay_ns", boost::get(&NodeProperties::delay_ns, graph));
  properties.property("delay_ns", boost::get(&EdgeProperties::delay_ns, graph));
  std::ostringstream text;
  text.imbue(std::locale::classic());
  boost::write_graphml(text, graph, properties, true);
  return text.str();
}

void require_drawable(const Picture& picture) {
  constexpr std::size_t kEdgesPerNode = 4;
  const std::size_t nodes = picture.nodes.size(), edges = picture.edges.size();
  if (nodes <= kMostDrawnNodes && edges <= kMostDrawnNodes * kEdgesPerNode) return;
  throw Error(ErrorCode::kUsage, picture.title,
              std::to_string(nodes) + " nodes and " + std::to_string(edges) +
                  " edges are too many to be drawn (" + std::to_string(kMostDrawnNodes) + ", " +
                  std::to_string(kMostDrawnNodes * kEdgesPerNode) + ")",
              "Choose some: `collapse=stream`, `collapse=call`, `around=ID`, `step=N`, "
              "`critical_path`; or write .dot");
}

}  // namespace

PictureFormat picture_format_of(const std::string& path) {
  const std::string ending = std::filesystem::path(without_compression(path)).extension().string();
  if (path == "-") return PictureFormat::kDot;
  if (ending == ".dot" || ending == ".gv") return PictureFormat::kDot;
  if (ending == ".graphml") return PictureFormat::kGraphml;
  if (ending == ".svg") return PictureFormat::kSvg;
  if (ending == ".pdf") return PictureFormat::kPdf;
  throw Error(ErrorCode::kUsage, "`output` " + path, "tells no format",
              "End it in .dot, .graphml, .svg or .pdf");
}

void write_picture(const Picture& picture, PictureFormat format, const ByteSink& sink) {
  switch (format) {
    case PictureFormat::kDot:
      return sink(dot_text(picture));
    case PictureFormat::kGraphml:
      return sink(graphml_text(picture));
    case PictureFormat::kSvg:
    case PictureFormat::kPdf:
      require_drawable(picture);
      return sink(
          draw_with_graphviz(dot_text(picture), format == PictureFormat::kSvg ? "svg" : "pdf"));
  }
}

}  // namespace nadi
